/** The line that stands for an image in the text. */
export const imageLine = (alt: string): string => `Image: ${alt}`;

export const commentLabel = (author: string): string => (author ? `Comment by ${author}` : "Comment");

export const commentLine = (author: string, text: string): string => `${commentLabel(author)}: ${text}`;
