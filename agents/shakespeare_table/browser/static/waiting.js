// Sends a form again once its game may be ready.
"use strict";

setTimeout(() => document.getElementById("waiting").submit(), 2000);
