import { Braces } from "lucide-react";
import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { useHydrated } from "~/ui/hydration";

const InsertData = lazy(() => import("./insert-data"));

interface InsertButtonProps {
  /** The field's label. */
  label: string;
  /** The part that the field belongs to. */
  partId: string;
  onInsert(name: string): void;
}

/** Beside the label of a field that takes expressions; its nearest positioned parent holds the list. */
export function InsertButton({ label, partId, onInsert }: InsertButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (!useHydrated()) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        title={`Insert an earlier output into ${label}`}
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        // Its press would blur the list, which would close and open again.
        onMouseDown={(event) => isOpen && event.preventDefault()}
        onClick={() => setOpen(!isOpen)}
        className="-top-8 absolute right-0 z-10 flex h-8 items-center gap-1 rounded-sm px-1.5 text-muted text-xs hover:bg-hover hover:text-ink pointer-coarse:-top-10 pointer-coarse:h-11"
      >
        <Braces aria-hidden="true" className="size-3.5" />
        Insert data
      </button>
      {isOpen && (
        <Suspense>
          <InsertData
            partId={partId}
            onInsert={(name) => {
              setOpen(false);
              onInsert(name);
            }}
            onClose={(returnsFocus) => {
              setOpen(false);
              if (returnsFocus) button.current?.focus();
            }}
          />
        </Suspense>
      )}
    </>
  );
}

interface InsertRowProps {
  label: string;
  partId: string;
  onChange(value: string): void;
  children: ReactNode;
}

/** A field whose control holds no expression until one is inserted in place of its value. */
export function InsertRow({ label, partId, onChange, children }: InsertRowProps) {
  return (
    <div className="relative min-w-0">
      {children}
      <div className="absolute inset-x-0 top-6.5">
        <InsertButton label={label} partId={partId} onInsert={(name) => onChange(`{{ ${name} }}`)} />
      </div>
    </div>
  );
}
