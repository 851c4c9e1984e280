export const LIST = "border-line border-t";

export const GRIP =
  "mr-2 grid h-8 w-5 shrink-0 cursor-grab place-items-center rounded-sm text-muted hover:text-ink pointer-coarse:h-11 pointer-coarse:w-8";
