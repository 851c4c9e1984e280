import { BookText } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { IconLink } from "~/ui/button";
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

/** Inserts prompts by a slash in the enclosing form's field. */
export function PromptPicker() {
  const marker = useRef<HTMLDivElement>(null);
  const { field, query, isUsed, close } = useSlashQuery(marker);
  return (
    <div ref={marker} className="contents">
      {isUsed && (
        <Suspense>
          <FoundPrompts {...{ field, query, close }} />
        </Suspense>
      )}
    </div>
  );
}

/** The way to prompts without JavaScript, and to learn of the slash. */
export function PromptsLink() {
  const hydrated = useHydrated();
  return (
    <span className="inline-flex [@media(scripting:enabled)]:pointer-coarse:hidden">
      <IconLink
        to="/prompts"
        label={hydrated ? "Prompts: type / to insert one" : "Prompts"}
        icon={<BookText />}
      />
    </span>
  );
}
