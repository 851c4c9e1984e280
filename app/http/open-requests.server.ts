import type { RequestListener, ServerResponse } from "node:http";

export interface OpenRequests {
  counted(listener: RequestListener): RequestListener;
  /** Resolves when all requests ended, or closes their connections after the time limit. @param timeoutMs in ms */
  drained(timeoutMs: number): Promise<void>;
}

export function countOpen(): OpenRequests {
  const open = new Set<ServerResponse>();
  let onEmpty: (() => void) | undefined;
  return {
    counted: (listener) => (request, response) => {
      open.add(response);
      response.once("close", () => {
        open.delete(response);
        if (open.size === 0) onEmpty?.();
      });
      listener(request, response);
    },
    async drained(timeoutMs) {
      if (open.size === 0) return;
      const timer = setTimeout(() => {
        for (const response of open) response.destroy();
      }, timeoutMs);
      await new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
      clearTimeout(timer);
    },
  };
}
