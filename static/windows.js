// A window that is closed says so, and the others do not warn of it any longer.
//
// <form data-closed hidden method="post" action="URL of data-live"> is sent when the page is left.
"use strict";

document.querySelectorAll("form[data-closed]").forEach((form) => {
  window.addEventListener("pagehide", () => navigator.sendBeacon(form.action, new FormData(form)));
});
