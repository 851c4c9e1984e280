import { createContext, useContext } from "react";
import styles from "~/styles.css?url";
import { useNonce } from "./nonce";

/** The style sheet's text, for a browser that has no copy of the file. */
export const InlineStyles = createContext<string | undefined>(undefined);

/** The text that the server sent: hydration keeps it, and an error that renders the document again needs it. */
const RECEIVED =
  typeof document === "undefined"
    ? undefined
    : (document.querySelector("style[data-styles]")?.textContent ?? undefined);

export function PageStyles() {
  const nonce = useNonce();
  const inline = useContext(InlineStyles) ?? RECEIVED;
  if (inline === undefined) return <link rel="stylesheet" href={styles} />;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the build's own style sheet
  return <style nonce={nonce} data-styles="" dangerouslySetInnerHTML={{ __html: inline }} />;
}

/** Loads the file for the next page once nothing else is needed. */
export function NextStyles() {
  const isInline = (useContext(InlineStyles) ?? RECEIVED) !== undefined;
  return isInline ? <link rel="prefetch" as="style" href={styles} /> : null;
}
