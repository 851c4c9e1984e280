import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { forbidCompiledSchemas } from "./no-compiled-schemas";
import { deferRouterUpdates } from "./router-transitions";
import { sharedDiscovery } from "./shared-discovery";
import { openPartsLoaded } from "./ui/before-hydration";
import { wholeLoads } from "./whole-loads";

forbidCompiledSchemas();
deferRouterUpdates();

window.fetch = sharedDiscovery(wholeLoads(window.fetch.bind(window)));
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
