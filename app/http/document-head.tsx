import { createContext, useContext, useState } from "react";

/** The response's nonce, on the server. */
export const Nonce = createContext<string | undefined>(undefined);

/** Browsers hide it from the attribute, but not from the property. */
const RECEIVED_NONCE =
  typeof document === "undefined" ? "" : (document.querySelector<HTMLElement>("script[nonce]")?.nonce ?? "");

/** In the browser empty, as hydration finds it, and the page's own for a document that an error renders again. */
export function useNonce(): string | undefined {
  const nonce = useContext(Nonce);
  const [received] = useState(() =>
    typeof document !== "undefined" && "scripted" in document.documentElement.dataset ? RECEIVED_NONCE : "",
  );
  return typeof document === "undefined" ? nonce : received;
}

/** Finds a style sheet's text, for a browser that has no copy of the file. */
export const InlineStyles = createContext<(href: string) => string | undefined>(() => RECEIVED);

/** The text that the server sent: hydration keeps it, and an error that renders the document again needs it. */
const RECEIVED =
  typeof document === "undefined"
    ? undefined
    : (document.querySelector("style[data-styles]")?.textContent ?? undefined);

interface Props {
  href: string;
}

export function PageStyles({ href }: Props) {
  const nonce = useNonce();
  const inline = useContext(InlineStyles)(href);
  if (inline === undefined) return <link rel="stylesheet" href={href} />;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the build's own style sheet
  return <style nonce={nonce} data-styles="" dangerouslySetInnerHTML={{ __html: inline }} />;
}

/** Loads the file for the next page once nothing else is needed. */
export function NextStyles({ href }: Props) {
  const isInline = useContext(InlineStyles)(href) !== undefined;
  return isInline ? <link rel="prefetch" as="style" href={href} /> : null;
}
