// Name and type of a file that is fetched: the rules are those of files that are uploaded.
export { contentTypeOf, fileNameOf } from '../contracts/media-names.ts';
