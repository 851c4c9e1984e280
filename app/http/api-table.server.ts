import { kept } from "~/core/kept.server";
import type { EndpointDescription, Method } from "~/platform/endpoint/endpoint.shared";

type AddressDescription = {
  path: string;
  tag: string;
  /** Takes API tokens alone. */
  isTokenOnly: boolean;
  /** Whether the last parameter takes the rest of the address. */
  takesRest: boolean;
} & Partial<Record<Method, EndpointDescription>>;

/** What the API reference describes, by path. */
export const apiTable = () => kept("api table", () => new Map<string, AddressDescription>());
