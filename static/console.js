// The console of the API: Swagger UI with the site's OpenAPI document.
"use strict";

const box = document.getElementById("console");
SwaggerUIBundle({
  url: box.dataset.document,
  domNode: box,
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  tryItOutEnabled: true,
  // Nothing is sent to other hosts.
  validatorUrl: null,
});
