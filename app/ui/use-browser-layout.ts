import { useEffect, useLayoutEffect } from "react";

/** A layout effect in the browser. The server has none, and React warns about it there. */
export const useBrowserLayout = typeof document === "undefined" ? useEffect : useLayoutEffect;
