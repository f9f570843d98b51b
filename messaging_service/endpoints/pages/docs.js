// validatorUrl: null keeps the page from sending the description to a validator on the Internet.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#documentation",
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
});
