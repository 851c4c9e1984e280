import { oneLine } from "../document-builder";

const FILE_NAME = /^[^\n]{0,300}\.(?:png|jpe?g|jfif|gif|bmp|tiff?|svg|emf|wmf|webp|heic)$/i;
/** Names that programs give to pictures. */
const DEFAULT_NAME =
  /^(?:picture|image|img|graphic|photo|chart|diagram|shape|object|screenshot|placeholder|bild|grafik|abbildung|foto|diagramm|imagen|imagem|immagine|afbeelding|obraz|рисунок|изображение|图片|圖片|图像|画像|그림)[ _-]?\d{0,4}$/i;
/** What Office guesses from a picture, and the sentence that it adds in the language of its screens. */
const GUESS = /^A (?:picture containing|close[- ]up of|screenshot of a|group of people)\b/;
const GUESS_MARK =
  /\n[^\n]{0,60}(?:automat|g[eé]n[eé]r|gerad|\bAI\b|\bKI\b|\bIA\b|\bИИ\b|автомат|自动|自動|자동)[^\n]{0,80}$/iu;

/**
 * Reads the alternative text of a drawing from the attributes of its properties (`cNvPr`, `docPr`).
 * @returns an empty text for file names, default names and descriptions that Office guessed from the picture
 */
export function altTextOf({ descr = "", title = "" }: Record<string, string>): string {
  const texts = [title, descr].map((text) => (GUESS_MARK.test(text.trim()) ? "" : oneLine(text)));
  return [...new Set(texts)]
    .filter((text) => text !== "" && ![FILE_NAME, DEFAULT_NAME, GUESS].some((noise) => noise.test(text)))
    .join(": ");
}
