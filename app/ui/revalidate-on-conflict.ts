import type { ShouldRevalidateFunction } from "@remix-run/react";

/** After a conflict the form needs the current version. */
export const revalidateOnConflict: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  actionStatus === 409 || defaultShouldRevalidate;
