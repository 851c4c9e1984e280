import { createContext, useContext } from "react";

/**
 * The response's nonce. Browsers hide it from scripts, so it is undefined in the browser for both renders.
 */
export const Nonce = createContext<string | undefined>(undefined);

export function useNonce(): string | undefined {
  const nonce = useContext(Nonce);
  return typeof document === "undefined" ? nonce : "";
}
