// The console of the API: Swagger UI with the site's OpenAPI document.
"use strict";

const box = document.getElementById("console");

// The browser sends the cookie of the log-in by itself; nobody should look for it and type it.
const leaveOutCookie = (api) => {
  delete api.components.securitySchemes.cookieAuth;
  const operations = Object.values(api.paths).flatMap((path) => Object.values(path)).filter((operation) => operation.security);
  for (const operation of operations) operation.security = operation.security.filter((each) => !("cookieAuth" in each));
  return api;
};

// What Swagger UI leaves without a name, or out of reach of the keyboard, and its own main part inside of that of the page.
const nameParts = () => {
  for (const field of box.querySelectorAll(".opblock :is(input, select, textarea):not([aria-label])")) {
    if (!field.labels.length) field.ariaLabel = field.closest("tr")?.querySelector("td").innerText.split("\n")[0] || "Request body";
  }
  for (const part of box.querySelectorAll("main:not([role])")) {
    part.setAttribute("role", "group");
    part.ariaLabel = "Operations";
  }
  for (const code of box.querySelectorAll("pre:not([tabindex])")) code.tabIndex = 0;
  const filter = box.querySelector(".operation-filter-input");
  if (filter) filter.placeholder = "Filter groups";
  for (const button of box.querySelectorAll(".close-modal:not([aria-label])")) button.ariaLabel = "Close";
};
new MutationObserver(nameParts).observe(box, { childList: true, subtree: true });

// The bundle keeps browsers from moving the focus along links inside of the page.
document.querySelector("a.skip").addEventListener("click", () => document.getElementById("main").focus());

SwaggerUIBundle({
  url: box.dataset.document,
  domNode: box,
  docExpansion: "none",
  syntaxHighlight: { activated: false },
  filter: true,
  tryItOutEnabled: true,
  plugins: [{
    // In any case of letters.
    fn: { opsFilter: (groups, words) => groups.filter((_, title) => title.toLowerCase().includes(words.toLowerCase())) },
    statePlugins: { spec: { wrapActions: { updateJsonSpec: (update) => (api) => update(leaveOutCookie(api)) } } },
  }],
  // Nothing is sent to other hosts.
  validatorUrl: null,
});
