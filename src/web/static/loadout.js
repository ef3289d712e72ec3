// Counts while numbers change, and shows a part of the list. The server checks everything again.
(function () {
  "use strict";

  var form = document.getElementById("loadout");
  if (!form) { return; }
  var total = document.getElementById("total");
  var size = Number(form.dataset.size);
  var family = document.getElementById("family");
  var heading = document.getElementById("heading");
  var chosen = document.getElementById("chosen");
  document.body.classList.add("scripted");

  function count() {
    var all = 0;
    form.querySelectorAll(".sorts").forEach(function (group) {
      var sum = 0;
      group.querySelectorAll("input[type=number]").forEach(function (input) {
        var number = Number(input.value) || 0;
        sum += number;
        input.closest(".sort-row").classList.toggle("some", number > 0);
        input.setAttribute("aria-invalid", String(number > Number(input.max) || number < 0));
      });
      group.querySelector(".sum").textContent = String(sum);
      all += sum;
    });
    total.textContent = String(all);
    total.parentElement.classList.toggle("right", all === size);
    total.parentElement.classList.toggle("wrong", all > size);
  }

  function filter() {
    form.querySelectorAll(".sorts").forEach(function (group) {
      var shown = 0;
      group.querySelectorAll(".sort-row").forEach(function (row) {
        var fits = (!family.value || row.dataset.f === family.value) && (!chosen.checked || row.classList.contains("some"));
        row.hidden = !fits;
        shown += fits ? 1 : 0;
      });
      group.hidden = shown === 0 || Boolean(heading.value && group.dataset.h !== heading.value);
    });
  }

  form.addEventListener("input", function (event) {
    if (event.target.type === "number") { count(); }
  });
  [family, heading, chosen].forEach(function (control) { control.addEventListener("change", filter); });
  count();
}());
