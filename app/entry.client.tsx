import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { z } from "zod";
import { wholeLoads } from "./whole-loads";

// The content security policy forbids code made from strings, zod's fast path among it.
z.config({ jitless: true });

window.fetch = wholeLoads(window.fetch.bind(window));

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RemixBrowser />
    </StrictMode>,
  );
});
