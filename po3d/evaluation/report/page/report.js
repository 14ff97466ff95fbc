"use strict";
// The browser of items. Everything that comes from a benchmark or a model is put in as text, never as markup.
(() => {
  const PAGE = 80; // items of the list that are made at a time
  const SVG = "http://www.w3.org/2000/svg";
  const problem = document.getElementById("problem");
  const complain = (event) => { problem.textContent = "Error on this page: " + (event.message || event.reason); };
  addEventListener("error", complain);
  addEventListener("unhandledrejection", complain);

  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const index = read("index");
  const records = new Map(); // of images, parsed when first looked at
  const record = (k) => {
    if (!records.has(k)) records.set(k, read("image-" + k));
    return records.get(k);
  };

  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children.filter((c) => c !== null && c !== undefined));
    return node;
  };
  const draw = (tag, attributes = {}, ...children) => {
    const node = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const find = (id) => document.getElementById(id);

  // --- filters ---------------------------------------------------------------------------------------------
  const [ID, IMAGE, CATEGORY, TEXT, GOLD, ANSWERS, BLAME] = [0, 1, 2, 3, 4, 5, 6]; // fields of an item
  const [ANSWER, STATUS, PROBABILITY, RIGHT] = [0, 1, 2, 3]; // of an answer
  const kind = (answer) =>
    answer[RIGHT] === null ? "uncounted" : answer[RIGHT] ? "right" : answer[STATUS] === "ok" ? "wrong" : "silent";
  const said = (answer) => (answer[STATUS] === "ok" ? String(answer[ANSWER]) : answer[STATUS]);
  const MARK = { right: "✓", wrong: "✗", silent: "–", uncounted: "·" };

  const blamed = (item) => {
    const shares = item[BLAME] ? item[BLAME].shares : {};
    const most = Math.max(0, ...Object.values(shares));
    return most > 0 ? Object.keys(shares).filter((name) => shares[name] > most - 1e-9) : [];
  };

  const fill = (select, names, all) => {
    select.append(make("option", { value: "" }, all));
    for (const name of names) select.append(make("option", { value: name }, name));
  };
  const of = (values) => [...new Set(values)];
  fill(find("task"), index.categories, "all");
  fill(find("status"), of(index.items.flatMap((i) => i[ANSWERS].map((a) => a[STATUS]))).sort(), "any");
  fill(find("blamed"), of(index.items.flatMap(blamed)).sort(), "any");
  fill(find("system"), index.systems, "any");
  find("system").value = index.systems[0];
  find("system").parentNode.hidden = index.systems.length < 2;
  find("blamed").parentNode.hidden = !index.items.some((i) => i[BLAME]);
  for (const option of find("outcome").querySelectorAll("[data-many]")) if (index.systems.length < 2) option.remove();

  const verdict = (item, wanted, own) => {
    const kinds = own.map((k) => kind(item[ANSWERS][k]));
    if (wanted === "right") return kinds.some((k) => k === "right");
    if (wanted === "wrong" || wanted === "surest") return kinds.some((k) => k === "wrong" || k === "silent");
    if (wanted === "uncounted") return kinds.some((k) => k === "uncounted");
    if (wanted === "differ") return of(item[ANSWERS].map((a) => a[RIGHT])).length > 1;
    return true;
  };

  let shown = []; // places in index.items that pass the filters
  let made = 0;
  const refilter = () => {
    const task = find("task").value, outcome = find("outcome").value, status = find("status").value;
    const module = find("blamed").value, words = find("words").value.trim().toLowerCase();
    const system = index.systems.indexOf(find("system").value);
    const own = system < 0 ? index.systems.map((_, k) => k) : [system];
    shown = [];
    index.items.forEach((item, k) => {
      if (task && index.categories[item[CATEGORY]] !== task) return;
      if (outcome && !verdict(item, outcome, own)) return;
      if (status && !own.some((s) => item[ANSWERS][s][STATUS] === status)) return;
      if (module && !blamed(item).includes(module)) return;
      if (words && ![item[ID], item[TEXT], item[GOLD], index.images[item[IMAGE]], ...item[ANSWERS].map(said)]
        .some((text) => String(text).toLowerCase().includes(words))) return;
      shown.push(k);
    });
    if (outcome === "surest") { // sorting keeps the order of questions where systems were as sure
      const sure = (item) => Math.max(...own.map((s) => item[ANSWERS][s]).filter((a) => kind(a) === "wrong").map((a) => a[PROBABILITY] ?? 0), -1);
      shown.sort((a, b) => sure(index.items[b]) - sure(index.items[a]));
    }
    const n = shown.length, total = index.items.length;
    find("count").textContent = n === total ? `${n} questions` : `${n} of ${total} questions`;
    find("rows").replaceChildren();
    made = 0;
    extend();
  };

  const row = (k) => {
    const item = index.items[k];
    const marks = item[ANSWERS].map((a, s) =>
      make("span", { class: kind(a), title: index.systems[s] }, `${MARK[kind(a)]} ${said(a)}`));
    const node = make("button", { class: "item", type: "button", "data-item": k },
      make("span", { class: "ask" }, item[TEXT]),
      make("span", { class: "facts" }, make("span", {}, index.categories[item[CATEGORY]]), ...marks));
    node.addEventListener("click", () => open(k));
    return node;
  };
  const extend = () => {
    const rows = find("rows");
    if (rows.lastChild && rows.lastChild.className === "more") rows.lastChild.remove();
    rows.append(...shown.slice(made, made + PAGE).map(row));
    made = Math.min(made + PAGE, shown.length);
    if (made < shown.length) {
      const more = make("button", { class: "more", type: "button" }, `show ${Math.min(PAGE, shown.length - made)} more`);
      more.addEventListener("click", extend);
      rows.append(more);
    }
    mark();
  };

  // --- one item --------------------------------------------------------------------------------------------
  let current = -1;
  const mark = () => {
    for (const node of find("rows").children)
      node.setAttribute("aria-current", String(Number(node.dataset.item) === current && node.className === "item"));
  };
  const open = (k) => {
    current = k;
    mark();
    address();
    find("detail").replaceChildren(...detail(index.items[k]));
  };

  // The address holds filters and question, so that it can be passed on.
  const FILTERS = ["task", "system", "outcome", "status", "blamed", "words"];
  const usual = Object.fromEntries(FILTERS.map((id) => [id, find(id).value]));
  const address = () => {
    const set = new URLSearchParams(FILTERS.filter((id) => find(id).value !== usual[id]).map((id) => [id, find(id).value]));
    const at = current < 0 ? "" : "#" + encodeURIComponent(index.items[current][ID]);
    history.replaceState(null, "", location.pathname + (set.size ? "?" + set : "") + at);
  };

  const detail = (item) => {
    const image = record(item[IMAGE]), about = image.items[item[ID]];
    const top = make("div", { class: "top" }, make("span", { class: "chip" }, index.categories[item[CATEGORY]]),
      make("span", {}, item[ID]), make("span", {}, index.images[item[IMAGE]]));
    const facts = make("dl");
    for (const [name, value] of [...about.facts, ["right answer", item[GOLD]]])
      facts.append(make("dt", {}, name), make("dd", {}, String(value)));
    const nodes = [top, make("p", { class: "question" }, item[TEXT]), facts, answers(item, about)];
    if (item[BLAME]) nodes.push(blame(item[BLAME]));
    const drawings = [];
    for (const name of about.pictures) drawings.push(plain(name, image.pictures[name]));
    if (image.picture) drawings.push(photograph(image, about));
    about.views.forEach(([title, view], k) => drawings.push(above(image, view, title, k)));
    if (drawings.length) nodes.push(make("div", { class: "drawings" }, ...drawings.map((d) => d.node)));
    if (image.truth !== undefined) nodes.push(switches(drawings));
    nodes.push(...programs(item, about));
    if (about.steps.length) nodes.push(make("h3", {}, "Execution trace"), steps(image, about, drawings));
    if (about.flip) nodes.push(make("p", { class: "flip" }, about.flip));
    if (about.note) nodes.push(make("p", { class: "note" }, about.note));
    return nodes;
  };

  const answers = (item, about) => {
    const body = make("tbody");
    item[ANSWERS].forEach((answer, s) => {
      const p = answer[PROBABILITY] === null ? "" : answer[PROBABILITY].toFixed(2);
      const reason = about.reasons[s] ? make("div", { class: "note" }, about.reasons[s]) : null;
      body.append(make("tr", {}, make("td", {}, index.systems[s]),
        make("td", {}, make("span", { class: "chip " + kind(answer) }, `${MARK[kind(answer)]} ${said(answer)}`), reason),
        make("td", {}, p)));
    });
    const head = make("tr", {}, ...["system", "answer", "probability"].map((t) => make("th", { scope: "col" }, t)));
    return make("div", { class: "answers" }, make("table", {}, make("thead", {}, head), body));
  };

  const blame = (found) => {
    const shares = Object.entries(found.shares).filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1])
      .map(([name, v]) => `${name} ${v.toFixed(2)}`).join(", ");
    const repairs = found.repaired_by.map((set) => set.join(" + ")).join("; or ");
    return make("dl", {}, make("dt", {}, "attribution (Shapley)"), make("dd", {}, shares || "none"),
      make("dt", {}, "corrected by ground truth of"), make("dd", {}, repairs || "none"));
  };

  const GOLD_PROGRAM = "true program";
  const programs = (item, about) => {
    const nodes = [];
    const seen = new Map();
    about.programs.forEach((program, s) => {
      if (program) seen.set(program, [...(seen.get(program) || []), index.systems[s]]);
    });
    if (about.gold) seen.set(about.gold, [...(seen.get(about.gold) || []), GOLD_PROGRAM]);
    for (const [program, names] of seen) {
      const whose = names.map((name) => (name === GOLD_PROGRAM ? name : "program of " + name)).join(", ");
      nodes.push(make("h3", {}, whose[0].toUpperCase() + whose.slice(1)), make("p", { class: "program" }, program));
    }
    return nodes;
  };

  // An object with a low existence probability is drawn faint.
  const faint = (object) => (object.p === undefined ? 1 : Math.max(0.25, object.p));
  const EDGES = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [2, 6], [6, 4], [4, 0], [1, 3], [3, 7], [7, 5], [5, 1]];
  const line = (points, a, b) => `M${points[2 * a]} ${points[2 * a + 1]}L${points[2 * b]} ${points[2 * b + 1]}`;
  const lifted = (hex) => "#" + [1, 3, 5].map((k) =>
    Math.min(255, 60 + Math.round(0.9 * parseInt(hex.slice(k, k + 2), 16))).toString(16).padStart(2, "0")).join("");
  const told = (object, k) => `#${k} ${object.label}` + (object.p === undefined ? "" : `, existence ${object.p}`);

  const group = (object, k, layer) => {
    const node = draw("g", { opacity: faint(object), "data-object": k });
    node.append(draw("title", {}), ...layer);
    node.firstChild.textContent = told(object, k);
    return node;
  };
  const tag = (x, y, words, size) => {
    const node = draw("text", { x, y, class: "tag", "text-anchor": "middle", style: `font-size:${size}px` });
    node.textContent = words;
    return node;
  };

  // Where a label stands: as near to where it should as it can without lying on another or leaving the frame [x, y, width, height].
  const room_for = (taken, words, size, x, y, [left, top, width, height]) => {
    const half = 0.29 * size * words.length + 0.2 * size, clamp = (v, low, high) => Math.min(Math.max(v, low), Math.max(low, high));
    const at = (x, y) => [clamp(x, left + half, left + width - half), clamp(y, top + size, top + height - 0.3 * size)];
    const free = ([x, y]) => !taken.some(([a, b, h]) => Math.abs(a - x) < h + half && Math.abs(b - y) < size);
    let found = at(x, y);
    for (let turn = 1; turn < 160 && !free(found); turn++) { // a spiral outwards
      const far = 0.3 * size * Math.sqrt(turn), angle = 2.4 * turn;
      found = at(x + 1.8 * far * Math.cos(angle), y + far * Math.sin(angle));
    }
    taken.push([...found, half]);
    return found;
  };

  const plain = (name, href) => ({ groups: new Map(), under: draw("g"), node: make("figure", { class: "plain" },
    make("img", { src: href, alt: name }), make("figcaption", {}, name)) });

  const photograph = (image, about) => {
    const [width, height] = image.size;
    const label = "the image with the boxes of " + (about.views.length ? image.views[about.views[0][1]].objects.length : 0) + " objects";
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, draw("image", { href: image.picture, width, height }));
    const hidden = draw("g", { class: "under" });
    const groups = new Map();
    const boxes = (view, layer) => view.objects.forEach((at, k) => {
      const object = image.objects[at];
      if (object.box) layer(object, k);
    });
    if (image.truth !== undefined) boxes(image.views[image.truth], (object) =>
      hidden.append(draw("path", { class: "truth", d: EDGES.map(([a, b]) => line(object.box, a, b)).join("") })));
    svg.append(hidden);
    const taken = []; // where labels stand
    if (about.views.length) boxes(image.views[about.views[0][1]], (object, k) => {
      const color = lifted(object.color), box = object.box;
      const xs = box.filter((_, i) => i % 2 === 0), ys = box.filter((_, i) => i % 2);
      const [x, y] = room_for(taken, String(k), 12, (Math.min(...xs) + Math.max(...xs)) / 2, Math.min(...ys) - 3, [0, 0, width, height]);
      const node = group(object, k, [
        draw("path", { class: "shape", style: `stroke:${color};fill:none`, d: EDGES.map(([a, b]) => line(box, a, b)).join("") }),
        draw("path", { class: "nose", style: `stroke:${color}`, d: line(box, 8, 9) }),
        draw("circle", { cx: box[18], cy: box[19], r: 3, fill: color }),
        tag(x, y, String(k), 12)]);
      groups.set("0/" + k, [node]);
      svg.append(node);
    });
    const caption = make("figcaption", {}, "the image with the system's scene");
    return { node: make("figure", { class: "picture" }, svg, caption), groups, under: hidden };
  };

  const EDGE = "#4a4640"; // of things in a room
  const above = (image, place, title, view) => {
    const table = image.views[place], room = table.outline !== undefined;
    const truth = !room && image.truth !== undefined ? image.views[image.truth] : null;
    const points = [...(table.outline || [])];
    for (const at of [...table.objects, ...(truth ? truth.objects : [])]) points.push(...image.objects[at].foot);
    const xs = points.filter((_, i) => i % 2 === 0), ys = points.filter((_, i) => i % 2);
    if (!xs.length) { xs.push(-1, 1); ys.push(-1, 1); }
    let [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const side = Math.max(x1 - x0, y1 - y0) * 1.25, unit = side / 360; // one pixel, about
    const middle = [(x0 + x1) / 2, (y0 + y1) / 2];
    // Street scenes keep the shape of a picture's height, rooms their own.
    const width = room ? (x1 - x0) * 1.06 + 0.5 : side, height = room ? (y1 - y0) * 1.06 + 0.5 : side;
    const frame = [middle[0] - width / 2, middle[1] - height / 2, width, height];
    const svg = draw("svg", { viewBox: frame.join(" "),
      role: "img", "aria-label": `${title}: ${table.objects.length} objects, top view` });
    const layer = draw("g", { class: room ? "room" : "" });
    const ring = (foot) => `M${foot.map((v, i) => (i % 2 ? v : (i ? "L" : "") + v)).join(" ")}Z`;
    if (room) layer.append(draw("path", { class: "floor", d: ring(table.outline) }));
    const under = draw("g", { class: "under" });
    if (truth) for (const at of truth.objects) {
      const object = image.objects[at];
      under.append(draw("path", { class: "truth", d: ring(object.foot) + line(object.nose, 0, 1) }));
    }
    layer.append(under);
    const groups = new Map(), touched = new Set(table.marked || []), labels = [];
    const order = table.objects.map((at, k) => [image.objects[at], k]).sort((a, b) => a[0].z - b[0].z);
    for (const [object, k] of order) {
      const color = room ? object.color : lifted(object.color), [, , nx, ny] = object.nose;
      const node = group(object, k, [
        draw("path", { class: "shape", style: `${room ? "" : `stroke:${color};`}fill:${color}`, d: ring(object.foot) }),
        draw("path", { class: "nose", style: `stroke:${room ? EDGE : color}`, d: line(object.nose, 0, 1) }),
        ...(room ? [] : [draw("circle", { cx: nx, cy: ny, r: 3 * unit, fill: color })])]);
      if (room) node.querySelector(".shape").setAttribute("stroke", EDGE);
      if (touched.has(k)) node.classList.add("touched");
      const size = (room ? 8 : 12) * unit, name = image.picture ? String(k) : object.kind || String(k);
      labels.push([object, k, node, name, size]);
      layer.append(node);
    }
    const taken = [], area = ({ foot: f }) => Math.abs((f[0] - f[4]) * (f[3] - f[7]) - (f[2] - f[6]) * (f[1] - f[5]));
    for (const [object, k, node, name, size] of labels.sort((a, b) => area(b[0]) - area(a[0]))) { // large things keep their middle
      const [x, y] = room_for(taken, name, size, object.nose[0], object.nose[1] + size / 3, frame);
      const label = tag(x, y, name, size);
      label.setAttribute("style", `font-size:${size}px;stroke-width:${2.4 * unit}px`);
      const parts = [node, label];
      if (Math.hypot(x - object.nose[0], y - object.nose[1]) > 1.5 * size) { // a line says whose it is
        const leader = draw("path", { class: "leader", d: line([object.nose[0], object.nose[1], x, y - size / 3], 0, 1) });
        layer.append(leader);
        parts.push(leader);
      }
      groups.set(view + "/" + k, parts);
      layer.append(label);
    }
    svg.append(layer);
    const node = make("figure", { class: room ? "above room" : image.picture ? "above" : "above alone" }, svg, make("figcaption", {}, title));
    return { node, groups, under };
  };

  const switches = (drawings) => {
    const box = make("input", { type: "checkbox" });
    const show = () => drawings.forEach((d) => d.under.setAttribute("visibility", box.checked ? "visible" : "hidden"));
    box.addEventListener("change", show);
    show();
    return make("p", { class: "switches" }, make("label", {}, box, "ground-truth boxes (dashed)"));
  };

  const steps = (image, about, drawings) => {
    const list = make("ol", { class: "steps" });
    const light = (objects) => {
      const wanted = objects && new Set(objects.map(([view, k]) => view + "/" + k));
      for (const drawing of drawings) for (const [key, nodes] of drawing.groups) for (const node of nodes) {
        node.classList.toggle("lit", Boolean(wanted) && wanted.has(key));
        node.classList.toggle("dim", Boolean(wanted) && !wanted.has(key));
      }
    };
    let pinned = null;
    const pin = (entry, objects) => {
      for (const other of list.children) other.classList.toggle("on", other === entry);
      pinned = objects;
      light(pinned);
    };
    const SETS = 12; // objects of a step that are named
    for (const [call, words, objects, nearest] of about.steps) {
      const found = make("div", { class: "found" });
      for (const [view, k, p] of objects.slice(0, SETS)) {
        const object = image.objects[image.views[about.views[view][1]].objects[k]];
        found.append(make("span", { class: "thing" }, make("i", { style: `background:${object.color}` }),
          `#${k} ${object.label}`, p < 0.995 ? make("span", {}, p.toFixed(2)) : null,
          view ? make("span", {}, "before") : null));
      }
      if (objects.length > SETS) found.append(make("span", { class: "thing" }, `and ${objects.length - SETS} more`));
      if (!objects.length) found.append(words ? make("b", {}, words) : make("span", { class: "empty" }, "empty set"));
      if (nearest) found.append(make("span", { class: "near" }, "nearest: " + nearest));
      const entry = make("li", {}, make("code", {}, call), found);
      if (objects.length) {
        const toggle = () => pin(pinned === objects ? null : entry, pinned === objects ? null : objects);
        entry.tabIndex = 0;
        entry.addEventListener("focus", () => light(objects));
        entry.addEventListener("blur", () => light(pinned));
        entry.addEventListener("keydown", (event) => { if (event.key === "Enter") toggle(); });
        entry.addEventListener("mouseenter", () => light(objects));
        entry.addEventListener("mouseleave", () => light(pinned));
        entry.addEventListener("click", toggle);
      }
      list.append(entry);
    }
    return list;
  };

  // --- start -----------------------------------------------------------------------------------------------
  const filtered = () => { refilter(); address(); };
  for (const id of FILTERS) find(id).addEventListener(id === "words" ? "input" : "change", filtered);
  const reset = (outcome) => {
    for (const id of FILTERS) find(id).value = id === "outcome" ? outcome : usual[id];
    filtered();
  };
  find("reset").addEventListener("click", () => reset(usual.outcome));
  find("errors").addEventListener("click", (event) => {
    event.preventDefault(); // the part after # is a question's
    reset("surest");
    if (shown.length) open(shown[0]);
    find("items").scrollIntoView();
  });
  addEventListener("keydown", (event) => {
    if (!["j", "k"].includes(event.key) || /INPUT|SELECT/.test(event.target.tagName)) return;
    const at = shown.indexOf(current) + (event.key === "j" ? 1 : -1);
    if (at < 0 || at >= shown.length) return;
    while (at >= made) extend();
    open(shown[at]);
    const node = find("rows").querySelector("[aria-current=true]");
    if (node) node.scrollIntoView({ block: "nearest" });
  });
  const query = new URLSearchParams(location.search);
  for (const id of FILTERS) if (query.has(id)) find(id).value = query.get(id);
  refilter();
  const named = decodeURIComponent(location.hash.slice(1));
  const wanted = index.items.findIndex((item) => item[ID] === named);
  if (wanted >= 0) open(wanted);
  else if (named) find("detail").append(make("p", { class: "note" }, `The question ${named} is not listed on this page.`));
  else if (shown.length) open(shown[0]);
  find("items").dataset.ready = String(index.items.length);
})();
