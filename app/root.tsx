import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLoaderData,
  useLocation,
  useMatches,
  useRouteError,
  useRouteLoaderData,
} from "@remix-run/react";
import { type ReactNode, useEffect } from "react";
import { basePath, builtAddress, withBase } from "~/core/base-path";
import { readActor } from "~/http/authentication.server";
import { screenAddress } from "~/http/return-to.server";
import { readToast } from "~/http/toast.server";
import { liveVersion } from "~/platform/events/events.service.server";
import { may } from "~/platform/rights/authorization.server";
import { isStandby } from "~/team/backups/standby.service.server";
import { brandIcon, brandInitial, brandProperties } from "~/team/branding/brand.shared";
import { brandingOf, isPlainAddress, themeOf } from "~/team/branding/branding.service.server";
import { BrandHead } from "~/team/branding/components/brand-head";
import { customCssAddress } from "~/team/branding/custom-css/custom-css.service.server";
import { ErrorPage } from "~/ui/error-page";
import { LeaveGuards } from "~/ui/leave-guard";
import { OfflineBar } from "~/ui/offline-bar";
import { useSubmitEnds } from "~/ui/sending";
import { RenderedAtProvider } from "~/ui/time";
import { Toaster } from "~/ui/toaster";
import { NextStyles, PageStyles, useNonce } from "./http/document-head";
import stylesFile from "./styles.css?url";
import { CUSTOM_CSS_ATTRIBUTE } from "./team/branding/look.shared";
import { pageFont } from "./team/branding/page-brand.service.server";
import { PASSKEY_SCRIPT } from "./team/members/components/passkey-script";
import { RECORD_CHOICES, repeatEarlyChoices } from "./ui/hydration";
import { ignoreDialogParams } from "./ui/ignore-dialog-params";

const styles = () => builtAddress(stylesFile);

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data?.appName ?? "Something went wrong" },
];

/**
 * On every page of a standby, as HTML: other consoles' pages don't load it. `data-bar` has its height in one line, which
 * the side navigation leaves to it.
 */
const standbyBar = (mayTakeOver: boolean) =>
  '<p data-bar class="border-warning/30 border-b bg-warning-soft px-4 py-2 text-center text-ink print:hidden">' +
  "This console is a standby: it runs nothing and refuses changes until an owner takes over." +
  (mayTakeOver ? ` <a href="${withBase("/standby")}" class="font-medium underline">Take over</a>` : "") +
  "</p>";

export function loader({ request, context }: LoaderFunctionArgs) {
  // First, so that the page's data is at least as new.
  const version = liveVersion();
  const { toast, headers } = readToast(request, context);
  const url = screenAddress(request);
  const branding = brandingOf(url);
  // Screens use the cookie; the API rejects an invalid token.
  const actor = request.headers.has("authorization") ? undefined : readActor(request, context);
  return data(
    {
      appName: branding.appName,
      logoUrl: branding.logoUrl,
      initial: brandInitial(branding),
      theme: themeOf(actor),
      person: actor?.userId,
      session: actor?.sessionId,
      look: {
        properties: brandProperties(branding),
        glass: branding.glassEffect,
        pattern: branding.backgroundPattern,
        font: pageFont(branding.fontFamily),
        favicon: brandIcon(branding),
        customCss: isPlainAddress(url) ? null : customCssAddress(),
      },
      toast: toast ?? null,
      standby: isStandby() ? standbyBar(actor !== undefined && may(actor, "backup.manage")) : null,
      renderedAt: Date.now(),
      liveVersion: version,
    },
    { headers },
  );
}

/** Dialogs change neither toast nor branding. */
export const shouldRevalidate = ignoreDialogParams({ names: ["dialog", "id", "model", "tab"] });

/** Scrolls pages that open at their end before the first paint. */
const OPEN_AT_END = 'location.hash || document.querySelector("[data-open-here]")?.scrollIntoView()';

/** Never have custom CSS, so that it can be undone. */
const SETTINGS = /^\/settings(?:\/|$)/;
/** Signed out, the landing page and the not-found page have it, and no page with a form. */
const NOT_FOUND = "routes/not-found/page";

/** For plain pages: shows passwords as `PasswordInput` does, and opens no dropped file. */
const PLAIN_SCRIPT = import.meta.env.SSR
  ? `for (const box of document.querySelectorAll("[data-show-password]")) {
  const input = box.previousElementSibling, button = box.querySelector("button");
  box.hidden = false;
  button.addEventListener("click", () => {
    const shown = input.type === "password";
    input.type = shown ? "text" : "password";
    button.setAttribute("aria-label", shown ? "Hide password" : "Show password");
  });
}
for (const type of ["dragover", "drop"])
  addEventListener(type, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());`
  : "";

/**
 * The document, also of an error in the root's own loader, which has the default branding. Only screens of the shell load
 * the client's bundle; signed-out pages are plain HTML.
 */
export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  const root = useRouteLoaderData<typeof loader>("root");
  const layout = useRouteLoaderData<{ shell?: unknown }>("routes/shell/layout");
  const isPlain = layout?.shell === undefined;
  const { pathname, search } = useLocation();
  const page = useMatches().at(-1)?.id;
  const isForm = isPlain && pathname !== "/" && page !== NOT_FOUND;
  const customCss = isForm || SETTINGS.test(pathname) ? null : root?.look.customCss;
  return (
    <html
      lang="en"
      data-base={basePath() || undefined}
      data-theme={root?.theme ?? "dark"}
      data-pattern={root?.look.pattern ?? "grid"}
      data-glass={root?.look.glass === false ? undefined : ""}
      data-plain={isPlain ? "" : undefined}
      data-person={root?.person}
      data-session={root?.session}
      data-address={isPlain ? undefined : pathname + search}
      {...(customCss ? { [CUSTOM_CSS_ATTRIBUTE]: "" } : {})}
      style={root?.look.properties}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Meta />
        <PageStyles href={styles()} />
        <Links />
        {root && (
          <BrandHead
            font={root.look.font}
            favicon={root.look.favicon}
            customCss={customCss ?? null}
            nonce={nonce}
          />
        )}
      </head>
      <body>
        {!isPlain && (
          <script
            nonce={nonce}
            suppressHydrationWarning
            // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant
            dangerouslySetInnerHTML={{ __html: RECORD_CHOICES }}
          />
        )}
        {root?.standby && (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the server's own
          <div dangerouslySetInnerHTML={{ __html: root.standby }} />
        )}
        {children}
        {isPlain && (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant
          <script nonce={nonce} dangerouslySetInnerHTML={{ __html: PLAIN_SCRIPT + PASSKEY_SCRIPT }} />
        )}
        {!isPlain && (
          <>
            {/* For Safari and Firefox without `scroll-initial-target`; a reload restores its position later. */}
            <script
              nonce={nonce}
              suppressHydrationWarning
              // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant
              dangerouslySetInnerHTML={{ __html: OPEN_AT_END }}
            />
            <ScrollRestoration nonce={nonce} />
            <Scripts nonce={nonce} />
          </>
        )}
        <NextStyles href={styles()} />
      </body>
    </html>
  );
}

export default function Root() {
  const { toast, renderedAt } = useLoaderData<typeof loader>();
  const shell = useMatches().find(({ id }) => id === "routes/shell/layout");
  const data = shell?.data as { shell?: unknown } | null | undefined;
  const isPlain = shell === undefined || (data != null && data.shell === undefined);
  useEffect(() => {
    // Signed out in another tab: such pages come from the server.
    if (isPlain) window.location.reload();
    else {
      document.documentElement.dataset.scripted = "";
      repeatEarlyChoices();
      // Not among the page's own scripts: typing takes longer than loading it.
      import("~/ui/once-loaded").then(
        ({ onceLoaded }) => onceLoaded(),
        () => undefined,
      );
    }
  }, [isPlain]);
  useSubmitEnds();
  return (
    <RenderedAtProvider value={renderedAt}>
      <LeaveGuards>
        <Outlet />
      </LeaveGuards>
      <OfflineBar />
      <Toaster toast={toast} isReloading={isPlain} />
    </RenderedAtProvider>
  );
}

export function ErrorBoundary() {
  return (
    <main className="mx-auto max-w-2xl px-4 py-[10vh]">
      <ErrorPage error={useRouteError()} />
    </main>
  );
}
