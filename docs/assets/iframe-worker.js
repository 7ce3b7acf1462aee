// From the disk (file:) browsers start no workers, and the search runs in one. This stands in for
// it there: the worker's script runs in a hidden frame, and messages go to and fro as a worker's do.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      const inner = frame.contentWindow;
      const told = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (source) =>
        new Promise((done, failed) => {
          const script = inner.document.createElement("script");
          script.src = source;
          script.onload = done;
          script.onerror = failed;
          inner.document.body.append(script);
        });
      inner.postMessage = (data) => setTimeout(told, 0, data);
      inner.importScripts = (...sources) => Promise.all(sources.map(load));
      this.ready = load(new URL(address, location.href).href);
      this.inner = inner;
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.inner.frameElement.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
