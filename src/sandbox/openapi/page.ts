import type { OpenApiDocument } from './document.ts';
export const docsPage = (document: OpenApiDocument, baseUrl: string) => `${baseUrl}${document.info.title}`;
