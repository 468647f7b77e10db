/* Search works from a folder, too: browsers refuse to start a worker from file://, so there a hidden frame does its work.
   Material's search worker looks for the name `IFrameWorker` in the page, and waits for what `importScripts` gives. */

if (location.protocol === "file:")
  window.Worker = window.IFrameWorker = class extends EventTarget {
    frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { hidden: true }));
    constructor(url) {
      super();
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.tell(new MessageEvent("message", { data }));
      inside.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
      inside.addEventListener("error", ({ error, message }) => this.tell(new ErrorEvent("error", { error, message })));
      this.ready = this.load(url);
    }
    postMessage = (data) => this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) })));
    terminate = () => this.frame.remove();
    tell = (event) => (this.dispatchEvent(event), this[`on${event.type}`]?.(event));
    load = (url) => {
      const inside = this.frame.contentDocument;
      const src = new URL(url, document.baseURI);
      return new Promise((onload, onerror) => inside.body.append(Object.assign(inside.createElement("script"), { src, onload, onerror })));
    };
  };
