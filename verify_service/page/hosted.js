// Takes the result of the hosted page back to the site that sent the person here: in the body of a POST, not in a URL.
"use strict";

document.addEventListener("verified", ({ detail }) => {
  const form = document.querySelector("form[action]");
  if (form) {
    form.elements.result.value = detail.result;
    form.submit();
  }
});
