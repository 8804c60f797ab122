"use strict";
// One view per batch: all its charts share the interval that is shown, in units of the picture.
for (const charts of document.querySelectorAll(".charts")) {
  const section = charts.closest(".batch"), width = Number(charts.dataset.width);
  const under = section.querySelector(".under"), beside = section.querySelector(".beside");
  const last = Number(charts.dataset.last);
  const drawn = () => [...charts.querySelectorAll(".chart:not([hidden])")];
  let from = 0, shown = width;

  const paint = (canvas) => {
    const data = (canvas.spans ||= JSON.parse(canvas.dataset.spans));
    const style = getComputedStyle(document.documentElement), ratio = window.devicePixelRatio || 1;
    const wide = canvas.clientWidth, high = data.tracks.length * 22;
    canvas.width = wide * ratio; canvas.height = high * ratio; canvas.style.height = `${high}px`;
    const pen = canvas.getContext("2d"); pen.scale(ratio, ratio);
    const colors = data.looks.map((look) => style.getPropertyValue(`--${look}`) || style.getPropertyValue("--quiet"));
    data.tracks.forEach((track, row) => {
      for (let at = 0; at < track.length; at += 4) {
        const left = ((track[at] - from) / shown) * wide, size = Math.max((track[at + 1] / shown) * wide, 0.5);
        if (left > wide || left + size < 0) continue;
        const held = data.looks[track[at + 2]] === "held";
        pen.fillStyle = colors[track[at + 2]]; pen.fillRect(left, row * 22 + (held ? 1 : 4), size, held ? 20 : 14);
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
  const show = () => {
    for (const svg of charts.querySelectorAll("svg")) {
      const box = svg.viewBox.baseVal; box.x = from; box.width = shown;
    }
    for (const row of charts.querySelectorAll(".ticks")) row.replaceChildren(...ticks(row.clientWidth));
    for (const label of charts.querySelectorAll("[data-x]")) {
      const place = ((Number(label.dataset.x) - from) / shown) * 100;
      label.style.left = `${place}%`; label.hidden = place < 0 || place > 100;
    }
    for (const figure of drawn()) { figure.querySelectorAll("canvas").forEach(paint); settle(figure); }
  };
  // Labels of instants stay inside the picture, and move below each other where they would overlap.
  const settle = (figure) => {
    for (const row of figure.querySelectorAll(".marks, .ticks")) {
      const limit = row.getBoundingClientRect(), ends = [-Infinity, -Infinity];
      for (const label of row.querySelectorAll("span:not([hidden])")) {
        label.style.transform = "none"; label.style.marginLeft = "0"; label.style.top = "0"; label.style.visibility = "";
        const size = label.getBoundingClientRect(), middle = size.left - limit.left;
        const left = Math.max(0, Math.min(middle - size.width / 2, limit.width - size.width));
        const line = ends.findIndex((end) => left > end + 4), rows = row.classList.contains("ticks") ? 1 : 2;
        if (line < 0 || line >= rows) { label.style.visibility = "hidden"; continue; }
        label.style.marginLeft = `${left - middle}px`; label.style.top = `${line * 17}px`; ends[line] = left + size.width;
      }
    }
  };
  const move = (start, size) => {
    shown = Math.min(width * 1.02, Math.max(width / 5000, size)); from = Math.max(0, Math.min(width * 1.02 - shown, start)); show();
  };
  const all = () => move(0, Math.max(...drawn().map((figure) => Number(figure.dataset.end))) * 1.02);
  const zoom = (factor, at = 0.5) => move(from + shown * at * (1 - factor), shown * factor);
  section.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
    if (button.dataset.zoom === "all") all(); else zoom(button.dataset.zoom === "in" ? 0.5 : 2);
  }));
  const words = (event) => {
    const canvas = event.target.closest("canvas");
    if (!canvas) return event.target.querySelector?.("title")?.textContent ?? "";
    const box = canvas.getBoundingClientRect(), at = from + ((event.clientX - box.left) / box.width) * shown;
    const track = canvas.spans?.tracks[Math.floor((event.clientY - box.top) / 22)] ?? [];
    let found = "";
    for (let index = 0; index < track.length; index += 4) if (track[index] <= at && at < track[index] + track[index + 1]) found = canvas.spans.words[track[index + 3]];
    return found;
  };
  for (const figure of charts.querySelectorAll(".chart")) {
    figure.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: () => move(from - shown / 8, shown), ArrowRight: () => move(from + shown / 8, shown), "+": () => zoom(0.5), "-": () => zoom(2), 0: all }[event.key];
      if (step) { step(); event.preventDefault(); }
    });
    const plot = figure.querySelector(".plot");
    plot.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      const box = plot.getBoundingClientRect(); zoom(event.deltaY < 0 ? 0.8 : 1.25, (event.clientX - box.left) / box.width); event.preventDefault();
    }, { passive: false });
    plot.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) move(from - (event.movementX / plot.clientWidth) * shown, shown);
      const said = words(event); if (said) under.textContent = said;
    });
  }
  beside?.addEventListener("change", () => {
    charts.querySelectorAll(".chart").forEach((figure, index) => { figure.hidden = index > 0 && figure.dataset.id !== beside.value; });
    all();
  });
  window.addEventListener("resize", show);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  all();
}
for (const table of document.querySelectorAll(".ranking")) {
  const body = table.tBodies[0], heads = [...table.querySelectorAll("th[scope=col]")];
  const section = table.closest(".batch"), filter = section.querySelector(".filter"), count = section.querySelector(".count");
  table.querySelectorAll("[data-column]").forEach((button) => button.addEventListener("click", () => {
    const column = Number(button.dataset.column), head = heads[column], down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((one) => one.removeAttribute("aria-sort")); head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (a, b) => (head.classList.contains("number") ? value(a) - value(b) : value(a).localeCompare(value(b)));
    [...body.rows].sort((a, b) => (down ? -1 : 1) * order(a, b)).forEach((row) => body.append(row));
  }));
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase().split(/\s+/);
    let left = 0;
    for (const row of body.rows) { row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word)); left += row.hidden ? 0 : 1; }
    count.textContent = `${left} of ${body.rows.length} rows`;
  });
}
