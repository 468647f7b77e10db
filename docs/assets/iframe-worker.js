/* Search works from a folder, too: browsers refuse to start a worker from file://, so there a hidden frame does its work.
   Material's search worker looks for the name `IFrameWorker` in the page, and waits for what `importScripts` gives. */

"use strict";

(() => {
  /** Stands in for a Worker: the script runs in a frame of its own and talks by events. */
  class IFrameWorker extends EventTarget {
    #frame = document.createElement("iframe");
    #ready;

    constructor(url) {
      super();
      this.#frame.hidden = true;
      document.body.append(this.#frame);
      const inside = this.#frame.contentWindow;
      inside.postMessage = (data) => this.#tell(new MessageEvent("message", { data }));
      inside.importScripts = async (...urls) => {
        for (const each of urls) await this.#load(each);
      };
      inside.addEventListener("error", ({ error, message }) => this.#tell(new ErrorEvent("error", { error, message })));
      this.#ready = this.#load(url);
    }

    postMessage(data) {
      const event = () => new MessageEvent("message", { data: structuredClone(data) });
      this.#ready.then(() => this.#frame.contentWindow.dispatchEvent(event()));
    }

    terminate() {
      this.#frame.remove();
    }

    #tell(event) {
      this.dispatchEvent(event);
      this[`on${event.type}`]?.(event);
    }

    #load(url) {
      const inside = this.#frame.contentDocument;
      const script = inside.createElement("script");
      script.src = new URL(url, document.baseURI);
      return new Promise((loaded, failed) => {
        script.onload = loaded;
        script.onerror = failed;
        inside.body.append(script);
      });
    }
  }

  if (location.protocol === "file:") window.Worker = window.IFrameWorker = IFrameWorker;
})();
