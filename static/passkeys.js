// Forms with data-passkey are sent with the answer of a passkey in their field "credential": of a new one for "create", of
// one that the site knows for "get". The options for the browser are in the JSON of the element that data-options names; a
// form without it asks its own address for them. Forms stay hidden, or their buttons disabled, without this script.
"use strict";

(() => {
  const supported = Boolean(window.PublicKeyCredential?.parseCreationOptionsFromJSON && navigator.credentials);

  const readOptions = async (form) => {
    if (form.dataset.options) return JSON.parse(document.getElementById(form.dataset.options).textContent);
    const reply = await fetch(form.action, { headers: { Accept: "application/json" } });
    if (reply.status === 429) throw new Error("Too many attempts: wait a minute, then try again.");
    if (!reply.ok) throw new Error("The site does not answer: try again.");
    return (await reply.json()).request_options;
  };

  const ask = (form, { publicKey }) => {
    if (form.dataset.passkey === "get") {
      return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
    }
    const alone = form.elements.passwordless.checked;
    publicKey.authenticatorSelection = {
      ...publicKey.authenticatorSelection,
      residentKey: alone ? "required" : "discouraged",
      requireResidentKey: alone,
      ...(alone && { userVerification: "required" }),
    };
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) });
  };

  const describe = (error) => {
    if (error.name === "NotAllowedError") return "No passkey was used, or it took too long: try again.";
    if (error.name === "InvalidStateError") return "Your account has this passkey already.";
    if (error.name === "SecurityError") return "Browsers allow passkeys only on sites with HTTPS and a name.";
    return error.message;
  };

  document.querySelectorAll("form[data-passkey]").forEach((form) => {
    const fault = form.querySelector("[role=alert]");
    const button = form.querySelector("button");
    form.hidden = !supported && form.dataset.passkey === "get";
    button.disabled = !supported;
    fault.hidden = supported;
    fault.textContent = "This browser cannot use passkeys here: use a newer one.";

    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      button.disabled = fault.hidden = true;
      try {
        const credential = await ask(form, await readOptions(form));
        form.elements.credential.value = JSON.stringify(credential.toJSON());
        form.submit();
      } catch (error) {
        fault.textContent = describe(error);
        fault.hidden = false;
      }
      button.disabled = false;
    });
  });
})();
