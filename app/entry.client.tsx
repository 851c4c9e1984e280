import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { forbidCompiledSchemas } from "./no-compiled-schemas";
import { deferRouterUpdates } from "./router-transitions";
import { openPartsLoaded } from "./ui/before-hydration";
import { submitOnce } from "./ui/single-submit";

forbidCompiledSchemas();
deferRouterUpdates();
submitOnce();

/**
 * Makes Remix decode the page's data before hydration. Its first render suspends for it without a boundary: a click or a
 * key in that time would make React give up hydration for good (error 345).
 */
async function decodePageData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (decoding) {
    await decoding;
  }
}

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
