import type { Destination } from "./consent.schema";

export const isSameDestination = (a: Destination, b: Destination): boolean =>
  a.providerId === b.providerId && a.origin === b.origin && a.model === b.model;
