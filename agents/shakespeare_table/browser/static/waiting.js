// Asks for a page again, or sends a form again, once its game may be ready.
"use strict";

setTimeout(() => {
  const form = document.getElementById("waiting");
  if (form) form.submit();
  // To go to the same address would only scroll if it names a part of the page.
  else location.reload();
}, 2000);
