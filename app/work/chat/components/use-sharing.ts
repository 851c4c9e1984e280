import { useSubmit } from "@remix-run/react";
import { type FormEvent, useMemo } from "react";

export function useSharing(conversationId: string | undefined, allowed: boolean) {
  const submit = useSubmit();
  return useMemo(
    () =>
      conversationId
        ? {
            action: `/chat/${conversationId}`,
            allowed,
            onSubmit: (event: FormEvent<HTMLFormElement>) => {
              event.preventDefault();
              submit(event.currentTarget, { preventScrollReset: true });
            },
          }
        : undefined,
    [conversationId, allowed, submit],
  );
}
