// Files can be dropped anywhere on a form with data-drop. data-chosen lists the selected files. Without this script, the
// file input of the form is used.
"use strict";

document.querySelectorAll("form[data-drop]").forEach((form) => {
  const input = form.querySelector("input[type=file]");
  const list = form.querySelector("[data-chosen]");
  const button = form.querySelector("button");
  const hint = document.createElement("span");
  hint.className = "helptext";
  hint.textContent = "You can also drop files here.";
  input.after(hint);

  const size = (bytes) => (bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`);

  const show = () => {
    list.hidden = !input.files.length;
    list.replaceChildren(
      ...[...input.files].map((file) => {
        const item = document.createElement("li");
        item.textContent = `${file.name}, ${size(file.size)}`;
        return item;
      }),
    );
  };

  const over = (event, on) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.toggle("dropping", on);
  };

  form.addEventListener("dragover", (event) => over(event, true));
  form.addEventListener("dragleave", (event) => over(event, false));
  form.addEventListener("drop", (event) => {
    over(event, false);
    if (!event.dataTransfer?.files.length) return;
    input.files = event.dataTransfer.files;
    show();
  });
  input.addEventListener("change", show);
  form.addEventListener("submit", () => {
    button.textContent = "Uploading…";
  });
  show();
});
