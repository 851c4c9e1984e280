import { kept } from "~/core/kept.server";
import type { EndpointDescription, Method } from "~/platform/endpoint/endpoint.shared";

type AddressDescription = {
  path: string;
  tag: string;
  /** Accepts API tokens only and has another protocol's errors. */
  isTokenOnly?: boolean;
} & Partial<Record<Method, EndpointDescription>>;

/** What the API reference describes, by path. */
export const apiTable = () => kept("api table", () => new Map<string, AddressDescription>());
