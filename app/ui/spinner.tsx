import { LoaderCircle } from "lucide-react";
import { cx } from "./class-names";

/** Says that something is on its way; decorative, so the words stand beside it. */
export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden="true" className={cx("size-4 animate-spin", className)} />;
}
