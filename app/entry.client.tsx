import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { forbidCompiledSchemas } from "./no-compiled-schemas";
import { deferRouterUpdates } from "./router-transitions";
import { openPartsLoaded } from "./ui/lazy-dialog";
import { wholeLoads } from "./whole-loads";

forbidCompiledSchemas();
deferRouterUpdates();

window.fetch = wholeLoads(window.fetch.bind(window));
// The router interrupts loads, and leaves some of their promises without a handler.
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof DOMException && event.reason.name === "AbortError") event.preventDefault();
});

openPartsLoaded().then(() =>
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <RemixBrowser />
      </StrictMode>,
    );
  }),
);
