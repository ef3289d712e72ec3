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

  // Keeps “in 4 min” true on a page that stays open. The server's clock counts, not the browser's; only a page that the
  // browser had kept and shows again was served some time ago, and there the browser's clock is all there is.
  var served = Date.parse(document.documentElement.getAttribute("data-now"));
  var opened = Date.now();
  var way = window.performance && performance.getEntriesByType && performance.getEntriesByType("navigation")[0];
  if (way && way.type === "back_forward" && way.transferSize === 0) { served = opened; }
  function rough(seconds) {
    if (seconds < 60) { return "less than a minute"; }
    if (seconds < 7200) { return Math.floor(seconds / 60) + " min"; }
    if (seconds < 172800) { return Math.floor(seconds / 3600) + " h"; }
    return Math.floor(seconds / 86400) + " days";
  }
  function relative(seconds) {
    if (seconds === 0) { return "now"; }
    if (seconds > 0) { return "in " + rough(seconds); }
    return seconds > -60 ? "just now" : rough(-seconds) + " ago";
  }
  function tellTimes() {
    var now = served + Date.now() - opened;
    document.querySelectorAll("time[data-rel]").forEach(function (time) {
      var seconds = Math.round((Date.parse(time.getAttribute("datetime")) - now) / 1000);
      var words = seconds <= 0 && time.getAttribute("data-past") || relative(seconds);
      if (time.textContent !== words) { time.textContent = words; }
    });
  }
  if (served) {
    window.setInterval(tellTimes, 15000);
    document.addEventListener("visibilitychange", tellTimes);
    window.addEventListener("pageshow", tellTimes);
  }

  // A page that the browser kept whole is loaded again when somebody has signed in or out since.
  function mark() { return (document.cookie.match(/(?:^|; )mark=([^;]*)/) || ["", ""])[1]; }
  var marked = mark();
  window.addEventListener("pageshow", function (event) {
    if (event.persisted && mark() !== marked) { window.location.reload(); }
  });

  // The first fault of a form that came back gets the focus.
  var fault = document.querySelector("[aria-invalid=true]");
  if (fault) { fault.focus(); }
}());
