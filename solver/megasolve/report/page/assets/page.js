"use strict";
// One view for the charts of a viewer: all of them share the interval that is shown, in units of the picture.
for (const viewer of document.querySelectorAll(".viewer")) {
  const charts = viewer.querySelector(".charts"), width = Number(charts.dataset.width), last = Number(charts.dataset.last);
  const under = viewer.querySelector(".under"), beside = viewer.querySelector(".beside");
  const figures = [...charts.querySelectorAll(".chart")];
  const drawn = () => figures.filter((figure) => !figure.hidden);
  let from = 0, shown = width;

  const spans = (canvas) => {
    if (!canvas.spans) {
      canvas.spans = JSON.parse(canvas.dataset.spans);
      // What is packed is how far behind the start of the span before it each one begins.
      for (const track of canvas.spans.tracks) for (let at = 3; at < track.length; at += 3) track[at] += track[at - 3];
    }
    return canvas.spans;
  };
  const paint = (canvas) => {
    const data = spans(canvas), high = data.tracks.length * data.row, thin = data.row < 12;
    const style = getComputedStyle(canvas), ratio = window.devicePixelRatio || 1, wide = canvas.clientWidth;
    canvas.width = wide * ratio; canvas.height = high * ratio; canvas.style.height = `${high}px`;
    const pen = canvas.getContext("2d"); pen.scale(ratio, ratio);
    const looks = data.kinds.map(([look]) => [style.getPropertyValue(`--${look}`) || style.getPropertyValue("--quiet"), look === "held"]);
    data.tracks.forEach((track, row) => {
      for (let at = 0; at < track.length; at += 3) {
        const left = ((track[at] - from) / shown) * wide, size = Math.max((track[at + 1] / shown) * wide, 0.5);
        if (left > wide) break;
        if (left + size < 0) continue;
        const [color, held] = looks[track[at + 2]];
        pen.fillStyle = color; pen.fillRect(left, row * data.row + (thin ? 0 : held ? 1 : 4), size, thin ? data.row - 1 : held ? 20 : 14);
      }
    });
  };
  // Round times, as many as there is room for.
  const ticks = (wide) => {
    const span = (shown / width) * last, most = Math.max(2, Math.floor(wide / 70)), found = [];
    let step = 10 ** Math.floor(Math.log10(span / most));
    step *= [1, 2, 5, 10].find((factor) => step * factor * most >= span);
    const places = Math.max(0, -Math.floor(Math.log10(step)));
    for (let number = Math.ceil(((from / width) * last) / step); number * step <= ((from + shown) / width) * last; number++) {
      const label = document.createElement("span");
      label.textContent = (number * step).toFixed(places) + (found.length ? "" : ` ${charts.dataset.unit}`); label.dataset.x = ((number * step) / last) * width; found.push(label);
    }
    return found;
  };
  // Labels of instants stay inside the picture, and move below each other where they would overlap. All is measured before anything moves.
  const settle = (figure) => {
    for (const row of figure.querySelectorAll(".marks, .ticks")) {
      const labels = [...row.children], wide = row.clientWidth, rows = row.classList.contains("ticks") ? 1 : 3, ends = Array(rows).fill(-Infinity);
      for (const label of labels) label.hidden = false;
      const sizes = labels.map((label) => label.offsetWidth);
      labels.forEach((label, index) => {
        const place = ((Number(label.dataset.x) - from) / shown) * wide, left = Math.max(0, Math.min(place - sizes[index] / 2, wide - sizes[index]));
        const line = ends.findIndex((end) => left > end + 4);
        label.hidden = place < -1 || place > wide + 1 || line < 0;
        if (label.hidden) return;
        label.style.cssText = `left:${left}px;top:${line * 17}px;transform:none`; ends[line] = left + sizes[index];
      });
      if (rows > 1) row.style.height = `${ends.filter((end) => end > -Infinity).length * 17 + 6}px`;
    }
  };
  const show = () => {
    const seen = drawn(), wide = seen[0].querySelector(".plot").clientWidth;
    for (const figure of seen) {
      for (const svg of figure.querySelectorAll("svg")) svg.setAttribute("viewBox", `${from} 0 ${shown} ${svg.viewBox.baseVal.height}`);
      figure.querySelector(".ticks").replaceChildren(...ticks(wide));
      figure.querySelectorAll("canvas").forEach(paint);
    }
    seen.forEach(settle);
  };
  const move = (start, size) => {
    shown = Math.min(width * 1.02, Math.max(width / 5000, size)); from = Math.max(0, Math.min(width * 1.02 - shown, start)); show();
  };
  const all = () => move(0, Math.max(...drawn().map((figure) => Number(figure.dataset.end))) * 1.02);
  const zoom = (factor, at = 0.5) => move(from + shown * at * (1 - factor), shown * factor);
  viewer.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
    if (button.dataset.zoom === "all") all(); else zoom(button.dataset.zoom === "in" ? 0.5 : 2);
  }));
  const words = (event) => {
    const canvas = event.target.closest("canvas");
    if (!canvas) return event.target.querySelector?.("title")?.textContent ?? "";
    const box = canvas.getBoundingClientRect(), at = from + ((event.clientX - box.left) / box.width) * shown, data = spans(canvas);
    const row = Math.floor((event.clientY - box.top) / data.row), track = data.tracks[row] ?? [];
    let found = "";
    for (let index = 0; index < track.length && track[index] <= at; index += 3) {
      if (at >= track[index] + track[index + 1]) continue;
      const name = data.kinds[track[index + 2]][1], lasts = ((track[index + 1] / width) * last).toPrecision(3);
      found = data.row < 12 ? `worker ${row}, ${name}: about ${lasts} ${charts.dataset.unit}` : name;
    }
    return found;
  };
  for (const figure of figures) {
    figure.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: () => move(from - shown / 8, shown), ArrowRight: () => move(from + shown / 8, shown), "+": () => zoom(0.5), "-": () => zoom(2), 0: all }[event.key];
      if (step) { step(); event.preventDefault(); }
    });
    const plot = figure.querySelector(".plot");
    plot.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      const box = plot.getBoundingClientRect(); zoom((event.deltaY || event.deltaX) < 0 ? 0.8 : 1.25, (event.clientX - box.left) / box.width); event.preventDefault();
    }, { passive: false });
    plot.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) move(from - (event.movementX / plot.clientWidth) * shown, shown);
      const said = words(event); if (said) under.textContent = said;
    });
  }
  beside?.addEventListener("change", () => {
    figures.forEach((figure, index) => { figure.hidden = index > 0 && index !== Number(beside.value); });
    all();
  });
  window.addEventListener("resize", show);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  all();
}
for (const table of document.querySelectorAll(".ranking")) {
  const body = table.tBodies[0], heads = [...table.querySelectorAll("th[scope=col]")];
  const section = table.closest(".batch"), filter = section.querySelector(".filter"), count = section.querySelector(".count");
  // Of many rows the first ones, until somebody asks for more; on paper all of them.
  const every = section.querySelector(".every");
  const short = (is) => { table.classList.toggle("short", is && every !== null); if (every) every.hidden = !is; };
  every?.addEventListener("click", () => short(false));
  table.querySelectorAll("[data-column]").forEach((button) => button.addEventListener("click", () => {
    const column = Number(button.dataset.column), head = heads[column], down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((one) => one.removeAttribute("aria-sort")); head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (a, b) => (head.classList.contains("number") ? value(a) - value(b) : value(a).localeCompare(value(b)));
    [...body.rows].sort((a, b) => (down ? -1 : 1) * order(a, b)).forEach((row) => body.append(row));
  }));
  filter.addEventListener("input", () => {
    short(!filter.value.trim());
    const wanted = filter.value.toLowerCase().split(/\s+/);
    let left = 0;
    for (const row of body.rows) { row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word)); left += row.hidden ? 0 : 1; }
    count.textContent = `${left} of ${body.rows.length} rows`;
  });
}
