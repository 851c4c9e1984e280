import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { decodePageData } from "./patches/decode-page-data";
import { deferRouterUpdates } from "./patches/defer-router-updates";
import { holdRouterRequests } from "./patches/hold-requests";
import { openPartsLoaded } from "./ui/hydration";
import { submitOnce } from "./ui/sending";
import { watchFields } from "./ui/typed-fields";

holdRouterRequests();
deferRouterUpdates();
submitOnce();
watchFields();

Promise.all([openPartsLoaded(), decodePageData()]).then(() =>
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <RemixBrowser />
      </StrictMode>,
    );
  }),
);
