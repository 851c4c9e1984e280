import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { holdRequests, retryWhenOnline } from "./held-requests";
import { forbidCompiledSchemas } from "./no-compiled-schemas";
import { wholeLoads } from "./whole-loads";

forbidCompiledSchemas();

window.fetch = holdRequests(wholeLoads(window.fetch.bind(window)));
retryWhenOnline();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RemixBrowser />
    </StrictMode>,
  );
});
