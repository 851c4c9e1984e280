import { Link } from "@remix-run/react";
import { BookText } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useHydrated } from "~/ui/hydration";

const FoundPrompts = lazy(() =>
  import("./found-prompts").then((module) => ({ default: module.FoundPrompts })),
);

/** A slash and part of a name, on one line. */
const SLASH_QUERY = /^\/([^\n/]{0,60})$/;

/** Text after the slash in the enclosing form's field. */
function useSlashQuery(marker: React.RefObject<HTMLElement>) {
  const field = useRef<HTMLTextAreaElement>();
  const [query, setQuery] = useState<string>();
  useEffect(() => {
    const trigger = marker.current
      ?.closest("form")
      ?.querySelector<HTMLTextAreaElement>("textarea[name=content]");
    if (!trigger) return;
    field.current = trigger;
    const read = () => setQuery(SLASH_QUERY.exec(trigger.value)?.[1]);
    trigger.addEventListener("input", read);
    return () => trigger.removeEventListener("input", read);
  }, [marker]);
  const isUsed = useRef(false);
  if (query !== undefined) isUsed.current = true;
  return { field, query, isUsed: isUsed.current, close: () => setQuery(undefined) };
}

/** Inserts prompts by a slash; a link without JavaScript. */
export function PromptPicker() {
  const hydrated = useHydrated();
  const marker = useRef<HTMLDivElement>(null);
  const { field, query, isUsed, close } = useSlashQuery(marker);
  return (
    <div ref={marker} className="flex flex-col gap-2">
      {isUsed && (
        <Suspense>
          <FoundPrompts {...{ field, query, close }} />
        </Suspense>
      )}
      <Link
        to="/prompts"
        className="-my-1 flex min-h-8 items-center gap-1.5 self-start rounded-sm text-muted text-xs hover:text-ink pointer-coarse:min-h-11 [@media(scripting:enabled)]:pointer-coarse:hidden"
      >
        <BookText className="size-3.5" />
        <span>
          Prompts
          {hydrated && (
            <>
              : type <kbd>/</kbd>
            </>
          )}
        </span>
      </Link>
    </div>
  );
}
