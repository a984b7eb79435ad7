(function () {
    "use strict";
    const graph = document.querySelector("svg.graph");
    const stage = document.getElementById("stage");
    const nodes = new Map(Array.from(graph.querySelectorAll(".node"), node => [node.dataset.node, node]));
    const edges = Array.from(graph.querySelectorAll(".edge"));
    let chosen = null;

    // The edges that matter for a node: its own, and for a view all that leads to it. That is what is kept for the view.
    function edgesOf(name) {
        if (!nodes.get(name).classList.contains("view"))
            return edges.filter(edge => [edge.dataset.source, edge.dataset.target].includes(name));
        const found = new Set(), seen = new Set([name]), waiting = [name];
        while (waiting.length) {
            const target = waiting.pop();
            for (const edge of edges) {
                if (edge.dataset.target !== target) continue;
                found.add(edge);
                if (seen.has(edge.dataset.source)) continue;
                seen.add(edge.dataset.source);
                waiting.push(edge.dataset.source);
            }
        }
        return found;
    }

    function light(name) {
        graph.classList.toggle("focused", name !== null);
        for (const item of graph.querySelectorAll(".near")) item.classList.remove("near");
        if (name === null) return;
        nodes.get(name).classList.add("near");
        for (const edge of edgesOf(name)) {
            edge.classList.add("near");
            nodes.get(edge.dataset.source).classList.add("near");
            nodes.get(edge.dataset.target).classList.add("near");
        }
    }

    function choose(name, follow, behavior = "smooth") {
        chosen = name;
        for (const item of document.querySelectorAll(".chosen")) item.classList.remove("chosen");
        light(name);
        if (name === null) return;
        const node = nodes.get(name);
        const text = document.getElementById(name);
        node.classList.add("chosen");
        text.classList.add("chosen");
        const pane = document.getElementById("text");
        pane.scrollTo({ top: text.offsetTop - pane.offsetTop - 40, behavior });
        if (follow) {
            const box = node.getBoundingClientRect(), frame = stage.getBoundingClientRect();
            stage.scrollBy({
                left: box.left - frame.left - (frame.width - box.width) / 2,
                top: box.top - frame.top - (frame.height - box.height) / 2, behavior
            });
        }
    }

    for (const [name, node] of nodes) {
        node.addEventListener("mouseenter", () => light(name));
        node.addEventListener("mouseleave", () => light(chosen));
        node.addEventListener("focus", () => light(name));
        node.addEventListener("blur", () => light(chosen));
    }
    document.addEventListener("click", event => {
        const link = event.target.closest("a[data-node]");
        if (link === null) return;
        const name = link.dataset.node;
        if (!nodes.has(name)) return;
        event.preventDefault();
        choose(name === chosen ? null : name, !graph.contains(link));
        if (!link.closest("main")) document.getElementById("graph").scrollIntoView({ behavior: "smooth" });
    });
    document.addEventListener("keydown", event => { if (event.key === "Escape") choose(null, false); });

    // Size: the graph is drawn at its own, and made smaller where it would not fit, as long as it can be read.
    const width = graph.viewBox.baseVal.width, height = graph.viewBox.baseVal.height;
    let scale = 1;
    function zoom(next) {
        scale = Math.min(2.5, Math.max(0.12, next));
        graph.setAttribute("width", width * scale);
        graph.setAttribute("height", height * scale);
    }
    function fitting() {
        return Math.min(1, (stage.clientWidth - 4) / width, (stage.clientHeight - 4) / height);
    }
    for (const button of document.querySelectorAll("[data-zoom]")) {
        button.addEventListener("click", () => {
            const how = button.dataset.zoom;
            zoom(how === "fit" ? fitting() : how === "+" ? scale * 1.25 : scale / 1.25);
        });
    }
    zoom(Math.max(0.75, fitting()));

    // Drag the paper to look around.
    let from = null;
    stage.addEventListener("mousedown", event => {
        if (event.target.closest(".node") !== null) return;
        from = [event.clientX + stage.scrollLeft, event.clientY + stage.scrollTop];
        stage.classList.add("dragged");
    });
    window.addEventListener("mousemove", event => {
        if (from !== null) stage.scrollTo(from[0] - event.clientX, from[1] - event.clientY);
    });
    window.addEventListener("mouseup", () => { from = null; stage.classList.remove("dragged"); });

    const asked = window.location.hash.slice(1);
    if (nodes.has(asked)) {
        choose(asked, true, "instant");
        document.getElementById("graph").scrollIntoView({ block: "nearest", behavior: "instant" });
    }
})();
