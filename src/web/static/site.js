// Small comforts. Every page works without this script.
(function () {
  "use strict";

  // Offers the browser's time zone where a form asks for one and nothing else was chosen yet.
  var zone = document.querySelector("select[data-detect-zone]");
  if (zone && window.Intl) {
    var here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (var i = 0; i < zone.options.length; i += 1) {
      if (zone.options[i].value === here) {
        zone.selectedIndex = i;
      }
    }
  }

  // Buttons that copy the text of a field beside them.
  document.querySelectorAll("button[data-copy]").forEach(function (button) {
    if (!navigator.clipboard) { return; }
    button.hidden = false;
    button.addEventListener("click", function () {
      var field = document.getElementById(button.getAttribute("data-copy"));
      navigator.clipboard.writeText(field.value || field.textContent).then(function () {
        button.textContent = "Copied";
      });
    });
  });

  // A form is sent once, however often its button is pressed.
  document.addEventListener("submit", function (event) {
    var form = event.target;
    if (event.defaultPrevented) { return; }
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    // Long enough for a second click by mistake; a form that stays on the page works again afterwards.
    window.setTimeout(function () { delete form.dataset.sent; }, 3000);
  });

  // The first fault of a form that came back gets the focus.
  var fault = document.querySelector("[aria-invalid=true]");
  if (fault) { fault.focus(); }
}());
