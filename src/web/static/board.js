// Orders by clicking, and reading about pieces without leaving the page. Everything here can also be done
// without script: the board's things are links to the piece viewer, and orders are lists and a text.
(function () {
  "use strict";

  var board = document.querySelector("[data-board]");
  if (!board) { return; }
  var viewer = document.getElementById("piece-body");
  var form = document.getElementById("orders-form");
  var text = document.getElementById("plot-text");
  var panel = document.getElementById("panel");
  var said = document.getElementById("said");
  var chosen = null;
  var opener = null;
  // A board with an atlas shows what can be done as a part of the page; other boards open it over them.
  var marks = board.querySelector("[data-marks]");
  var beside = document.querySelector(".turn-page.beside");

  // ---- What can be ordered: read from the form's own lists. What an order is aimed at is its last word, unless
  // the list says otherwise.
  function targetOf(option) {
    if (option.dataset.target !== undefined) { return option.dataset.target || null; }
    return option.value.slice(option.value.lastIndexOf(" ") + 1);
  }

  var slots = [];
  if (form) {
    form.querySelectorAll("select[data-slot]").forEach(function (select) {
      var offers = [];
      Array.prototype.forEach.call(select.options, function (option) {
        if (option.value) {
          offers.push({ order: option.value, label: option.textContent, target: targetOf(option) });
        }
      });
      slots.push({ subject: select.dataset.for || null, label: select.labels[0].firstChild.textContent.trim(), offers: offers, select: select });
    });
  }

  function offersOf(subject) {
    var found = [];
    slots.forEach(function (slot) {
      if (slot.subject === subject) {
        slot.offers.forEach(function (offer) { found.push({ slot: slot, offer: offer }); });
      }
    });
    return distinct(found);
  }

  // Amounts of damage are nothing on the board: one clicks the piece that takes them.
  function looseOffersTo(target) {
    var found = [];
    slots.forEach(function (slot) {
      if (!slot.subject) {
        slot.offers.forEach(function (offer) {
          if (offer.target === target) { found.push({ slot: slot, offer: offer }); }
        });
      }
    });
    return found;
  }

  // Copies of an item have the same offers; one button is enough.
  function distinct(found) {
    var seen = {};
    return found.filter(function (entry) {
      if (seen[entry.offer.order]) { return false; }
      seen[entry.offer.order] = true;
      return true;
    });
  }

  // ---- The text is the plot. How it reads, which line belongs to which control and what is wrong with it, the
  // server says: what was clicked is sent to it like any choice in a list, and its answer is shown.
  var trouble = document.getElementById("plot-trouble");
  var queue = Promise.resolve();

  function part() { return document.getElementById("plot-part"); }

  // The controls that have a line.
  function taken() {
    return Array.prototype.map.call(document.querySelectorAll("#plot-list [data-control]"), function (line) {
      return document.getElementById(line.dataset.control);
    });
  }

  // What a click has led to, where one is: the list may be above or below the screen.
  var fading = 0;
  function showForAWhile(words) {
    var fault = part().querySelector(".faults li");
    say(words + (fault ? " " + fault.textContent : ""));
    said.classList.add("toast");
    said.classList.toggle("bad", Boolean(fault));
    window.clearTimeout(fading);
    fading = window.setTimeout(function () { said.classList.remove("toast"); }, fault ? 9000 : 4000);
  }

  function complain(words) {
    if (trouble) { trouble.textContent = words; trouble.hidden = false; }
    say(words);
  }

  // One question after the other, each with what the one before has led to. `change` says what to send besides the
  // text, if anything, and gives the words for what was done.
  function ask(change) {
    queue = queue.then(function () {
      var body = new URLSearchParams();
      ["csrf", "phase_no", "version"].forEach(function (name) { body.set(name, form.elements[name].value); });
      var before = text.value;
      var sent = { text: before, words: "" };
      if (change) { change(sent, body); }
      body.set("text", sent.text);
      body.set("do", "check");
      body.set("part", "plot");
      part().setAttribute("aria-busy", "true");
      return fetch(form.getAttribute("action").split("#")[0], {
        method: "POST", body: body, credentials: "same-origin"
      }).then(function (answer) {
        // Led elsewhere, one is not signed in any more.
        if (!answer.ok || answer.redirected) { throw answer.status; }
        return answer.text();
      }).then(function (html) {
        if (change && text.value !== before) { throw 0; }
        if (change || text.value === before) {
          var holder = document.createElement("div");
          holder.innerHTML = html;
          part().replaceWith(holder.firstElementChild);
          if (change) { text.value = part().dataset.text; }
        }
        if (trouble) { trouble.hidden = true; }
        if (sent.words) { showForAWhile(sent.words); }
        mark();
      }).catch(function (status) {
        part().removeAttribute("aria-busy");
        if (status === 409 && moved) { moved.hidden = false; moved.scrollIntoView({ block: "center" }); return; }
        complain(status === 429 ? "That was too fast for this site. Wait a few seconds and try again."
          : status === 0 ? "The text was changed at the same moment. Try again."
          : "The server did not answer, so nothing was written. Try again.");
      });
    });
    return queue;
  }

  function add(entry) {
    ask(function (sent, body) {
      var busy = taken();
      var able = slots.filter(function (slot) {
        return slot.subject === entry.slot.subject && slot.label === entry.slot.label &&
          slot.offers.some(function (offer) { return offer.order === entry.offer.order; });
      });
      if (!able.length) { able = [entry.slot]; }
      var free = able.find(function (slot) { return busy.indexOf(slot.select) < 0; });
      body.set((free || able[able.length - 1]).select.name, entry.offer.order);
      sent.words = (free ? "Added: " : "Changed: ") + entry.slot.label + ": " + entry.offer.label + ".";
    });
  }

  // The line has the number the server has told of it.
  function remove(button) {
    var shown = part().dataset.text;
    ask(function (sent) {
      if (text.value !== shown && text.value.trim() !== shown.trim()) { return; }
      var all = text.value.split("\n");
      all.splice(Number(button.dataset.line), 1);
      sent.text = all.join("\n");
      sent.words = button.getAttribute("aria-label").replace("Remove", "Removed") + ".";
    });
  }

  // Things that have an order wear a mark on the board.
  function mark() {
    document.querySelectorAll(".ordered").forEach(function (it) { it.classList.remove("ordered"); });
    taken().forEach(function (select) {
      if (select && select.dataset.for) {
        document.querySelectorAll("[data-subject=\"" + CSS.escape(select.dataset.for) + "\"]").forEach(function (it) {
          it.classList.add("ordered");
        });
      }
    });
  }

  function say(words) { if (said) { said.textContent = words; } }

  // ---- Choosing.
  function highlight(found) {
    var targets = {};
    found.forEach(function (entry) { if (entry.offer.target) { targets[entry.offer.target] = true; } });
    board.classList.toggle("choosing", found.length > 0);
    document.querySelectorAll("[data-piece]").forEach(function (it) {
      it.classList.toggle("possible", Boolean(targets[it.dataset.piece]));
      it.classList.toggle("selected", it.dataset.piece === chosen);
    });
  }

  function show(id, title, found) {
    chosen = id;
    highlight(found);
    if (!panel) { return; }
    panel.textContent = "";
    var head = document.createElement("div");
    head.className = "panel-head";
    var heading = document.createElement("h2");
    heading.textContent = title;
    var close = document.createElement("button");
    close.type = "button";
    close.className = "button quiet small";
    close.textContent = "Close";
    close.addEventListener("click", done);
    head.append(heading, close);
    panel.append(head);
    if (found.length) {
      var hint = document.createElement("p");
      hint.className = "hint";
      hint.textContent = found.some(function (entry) { return entry.offer.target; })
        ? "Choose here, or click a lit target on the board." : "Choose an order.";
      panel.append(hint);
      var row = document.createElement("div");
      row.className = "offers";
      found.forEach(function (entry) {
        var button = document.createElement("button");
        button.type = "button";
        button.className = "button quiet small";
        button.dataset.order = entry.offer.order;
        button.textContent = entry.slot.subject ? entry.offer.label : entry.slot.label + " " + entry.offer.label;
        button.addEventListener("click", function () { add(entry); done(); });
        row.append(button);
      });
      panel.append(row);
    }
    var about = document.createElement("div");
    about.className = "panel-about";
    panel.append(about);
    panel.hidden = false;
    document.body.classList.add("with-panel");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }

  function done() {
    chosen = null;
    highlight([]);
    if (panel) { panel.hidden = true; }
    document.body.classList.remove("with-panel");
    if (opener && document.contains(opener)) { opener.focus({ preventScroll: true }); }
    opener = null;
  }

  // Answers may come in another order than the clicks; the last click counts.
  var asked = 0;

  function read(link) {
    var turn = asked += 1;
    var address = link.getAttribute("href").split("#")[0];
    fetch(address + "&part=piece", { credentials: "same-origin" }).then(function (answer) {
      if (!answer.ok) { throw new Error(String(answer.status)); }
      return answer.text();
    }).then(function (html) {
      if (turn !== asked) { return; }
      if (viewer) { viewer.innerHTML = html; }
      var about = panel && panel.querySelector(".panel-about");
      if (about && chosen === link.dataset.piece) { about.innerHTML = html; }
    }).catch(function () {
      if (turn === asked) { window.location.href = link.href; }
    });
  }

  // What the server said can be done with what is chosen: put where it is read, and marked on the board.
  function take(html, address) {
    viewer.innerHTML = html;
    var act = viewer.querySelector("[data-chosen]");
    chosen = (act && act.dataset.chosen) || null;
    var targets = act && act.dataset.targets ? act.dataset.targets.split(" ") : [];
    var fresh = act && act.querySelector("[data-new-marks]");
    if (marks && fresh) { marks.innerHTML = fresh.innerHTML; }
    document.querySelectorAll("[data-piece]").forEach(function (it) {
      it.classList.toggle("possible", targets.indexOf(it.dataset.piece) >= 0);
      it.classList.toggle("selected", it.dataset.piece === chosen);
    });
    window.history.replaceState(null, "", address);
    var shell = document.getElementById("piece");
    if (shell.getBoundingClientRect().top > window.innerHeight - 120 || shell.getBoundingClientRect().bottom < 80) {
      shell.scrollIntoView({ block: "nearest" });
    }
    say(viewer.textContent.trim().replace(/\s+/g, " ").slice(0, 160));
  }

  function choose(link) {
    var turn = asked += 1;
    var address = link.getAttribute("href").split("#")[0];
    if (board.contains(link)) {
      var base = address.split("piece=")[0] + "piece=";
      var leads = chosen && link.classList.contains("possible");
      address = leads ? base + chosen + "&target=" + link.dataset.piece : base + link.dataset.piece;
    }
    fetch(address + "&part=piece", { credentials: "same-origin" }).then(function (answer) {
      if (!answer.ok) { throw new Error(String(answer.status)); }
      return answer.text();
    }).then(function (html) {
      if (turn === asked) { take(html, address); }
    }).catch(function () {
      if (turn === asked) { window.location.href = address; }
    });
  }

  function titleOf(link) {
    var title = link.querySelector("title, .name");
    var words = title ? title.textContent : link.textContent;
    return words.split(":")[0].split(", ")[0].trim();
  }

  document.addEventListener("click", function (event) {
    var link = event.target.closest("[data-piece]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) { return; }
    event.preventDefault();
    if (beside && !slots.length) { choose(link); return; }
    var id = link.dataset.piece;
    if (chosen && chosen !== id) {
      var aimed = offersOf(chosen).filter(function (entry) { return entry.offer.target === id; });
      if (aimed.length === 1) {
        add(aimed[0]);
        done();
        return;
      }
      if (aimed.length > 1) {
        show(chosen, titleOf(link), aimed);
        return;
      }
    }
    opener = link;
    show(id, titleOf(link), offersOf(id).concat(looseOffersTo(id)));
    read(link);
  });

  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && panel && !panel.hidden) { done(); }
  });

  // Says so when the table has moved on under an open page; where nothing was being written, shows it.
  var moved = document.getElementById("moved-on");
  if (moved) {
    var unsaved = function () {
      return Array.prototype.some.call(document.querySelectorAll("textarea, input[type=text]"), function (field) {
        return field.value !== field.defaultValue;
      });
    };
    var look = function () {
      if (document.hidden || !moved.hidden) { return; }
      fetch(moved.dataset.address + "?part=state", { credentials: "same-origin" }).then(function (answer) {
        return answer.ok ? answer.text() : moved.dataset.state;
      }).then(function (state) {
        if (state === moved.dataset.state) { return; }
        if (!form && !unsaved()) { window.location.reload(); } else { moved.hidden = false; }
      }).catch(function () { /* The next look may reach the server again. */ });
    };
    // A bot that does not answer soon is not asked about for ever.
    var often = Number(moved.dataset.every) < 60 ? 40 : 0;
    var wait = function () {
      window.setTimeout(function () { often -= 1; look(); wait(); }, often > 0 ? Number(moved.dataset.every) * 1000 : 60000);
    };
    wait();
    window.addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
  }

  // Where one was on the page when an order was given, one stays.
  document.addEventListener("submit", function (event) {
    if (event.target.classList.contains("act")) { keep(); }
  });

  var pane = board.querySelector(".mappane");
  var place = "place:" + window.location.pathname;
  function keep() {
    var size = board.querySelector("[name=map-size]:checked");
    var at = { y: window.scrollY, left: pane ? pane.scrollLeft : 0, top: pane ? pane.scrollTop : 0, size: size ? size.id : "" };
    try { window.sessionStorage.setItem(place, JSON.stringify(at)); } catch (error) { /* Then the page begins at its top. */ }
  }
  if (pane) {
    var first = board.querySelector(".land.possible, .land.selected") || board.querySelector(".land[data-subject]");
    var known = null;
    try { known = JSON.parse(window.sessionStorage.getItem(place)); } catch (error) { /* As if nothing was kept. */ }
    if (known) {
      var size = known.size && document.getElementById(known.size);
      if (size) { size.checked = true; }
      pane.scrollLeft = known.left;
      pane.scrollTop = known.top;
      if (window.location.hash === "#play") { window.scrollTo(0, known.y); }
    } else if (first && pane.scrollWidth > pane.clientWidth) {
      var box = first.getBoundingClientRect();
      var frame = pane.getBoundingClientRect();
      pane.scrollLeft = box.left + box.width / 2 - frame.left - frame.width / 2;
      pane.scrollTop = box.top + box.height / 2 - frame.top - frame.height / 2;
    }
    window.addEventListener("pagehide", keep);
    chosen = (document.querySelector("[data-chosen]") || { dataset: {} }).dataset.chosen || null;
  }

  if (!form) { return; }

  // A choice in a list becomes an order at once.
  slots.forEach(function (slot) {
    slot.select.addEventListener("change", function () {
      var offer = slot.offers.find(function (offer) { return offer.order === slot.select.value; });
      slot.select.value = "";
      if (offer) { add({ slot: slot, offer: offer }); }
    });
  });
  var lists = document.getElementById("lists");
  if (lists) { lists.open = false; }
  // What is typed is read when the fingers rest.
  var resting = 0;
  if (part() && slots.length) {
    text.addEventListener("input", function () {
      window.clearTimeout(resting);
      part().setAttribute("aria-busy", "true");
      resting = window.setTimeout(ask, 800);
    });
    document.addEventListener("click", function (event) {
      var button = event.target.closest("#plot-list .remove");
      if (button) { remove(button); }
    });
  }
  document.body.classList.add("scripted");
  mark();
}());
