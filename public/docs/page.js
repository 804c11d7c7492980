const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

SwaggerUIBundle({
  url: "/openapi.json",
  domNode: document.getElementById("reference"),
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Secrets that are typed in stay on the page, and are gone with it.
  persistAuthorization: false,
  validatorUrl: null,
});
