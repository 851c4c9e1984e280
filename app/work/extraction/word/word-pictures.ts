import type { DocumentBuilder } from "../document-builder";
import { altTextOf } from "../drawings/alt-text";

interface Picture {
  alts: Set<string>;
  images: number;
  isObject: boolean;
  /** Texts read before it. */
  produced: number;
}

/** In characters; alternative texts are sentences. */
const MAX_ALT = 5_000;

/** The drawings and pictures that are open while a part is read. */
export class Pictures {
  readonly #open: Picture[] = [];

  open(isObject: boolean, produced: number): void {
    this.#open.push({ alts: new Set(), images: 0, isObject, produced });
  }

  describe({ descr = "", title = "" }: { descr?: string | undefined; title?: string | undefined }): void {
    const alt = altTextOf({ descr: descr.slice(0, MAX_ALT), title: title.slice(0, MAX_ALT) });
    if (alt) this.#open.at(-1)?.alts.add(alt);
  }

  addImage(): void {
    const picture = this.#open.at(-1);
    if (picture) picture.images += 1;
  }

  /** Takes an image for decoration, which nobody misses. */
  decorate(): void {
    const picture = this.#open.at(-1);
    if (picture) picture.images = Number.NEGATIVE_INFINITY;
  }

  /**
   * Ends a drawing and counts what it loses.
   * @returns its alternative texts
   */
  close(builder: DocumentBuilder, produced: number): string[] {
    const picture = this.#open.pop();
    if (!picture) return [];
    const { alts, images, isObject } = picture;
    if (isObject) builder.leaveOut("embedded object", "embedded objects");
    else if (images > 0 && alts.size === 0 && produced === picture.produced) {
      builder.leaveOut("image", "images");
    }
    return [...alts];
  }
}
