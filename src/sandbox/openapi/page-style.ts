// The check of the page, light and dark. No font, image or script is loaded from anywhere.
export const STYLE = `
:root { color-scheme: light dark; --bg: #fff; --fg: #1d2329; --dim: #59636e; --line: #d8dee4; --soft: #f4f6f8; --link: #0a58b5;
  --get: #0a6b3d; --post: #0a58b5; --put: #8a5a00; --patch: #7a3fae; --bad: #a8261c; }
@media (prefers-color-scheme: dark) { :root { --bg: #14181d; --fg: #e3e8ed; --dim: #9aa6b2; --line: #313941; --soft: #1c2229;
  --link: #79b4ff; --get: #5fcf95; --post: #79b4ff; --put: #e5b354; --patch: #cba0f5; --bad: #ff9088; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--bg); color: var(--fg); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: .4rem 0; padding: .7rem .9rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; white-space: pre; }
.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto; padding: 1.6rem 1rem 2rem 1.4rem; border-right: 1px solid var(--line); font-size: .9rem; }
nav h2 { margin: 1.1rem 0 .2rem; font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--dim); }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { padding: .12rem 0; } nav a { color: var(--fg); }
main { padding: 1.6rem 2.2rem 5rem; min-width: 0; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .6rem; }
main > section > h2 { margin: 2.6rem 0 .1rem; font-size: 1.3rem; }
.dim { color: var(--dim); }
article { margin: 1.2rem 0 0; padding: 1.1rem 0 .6rem; border-top: 1px solid var(--line); }
article h3 { margin: 0; font-size: 1.05rem; }
article h4 code { text-transform: none; letter-spacing: 0; }
article h4 { margin: 1rem 0 .3rem; font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--dim); font-weight: 600; }
.route { margin: .25rem 0; display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; }
.method { font: 700 .78rem/1.4 ui-monospace, monospace; text-transform: uppercase; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td { text-align: left; vertical-align: top; padding: .32rem .8rem .32rem 0; border-top: 1px solid var(--line); }
tr:first-child td { border-top: 0; }
td:first-child { width: 32%; min-width: 8rem; } td:nth-child(2) { width: 24%; }
.needed { color: var(--bad); font-size: .78rem; white-space: nowrap; }
details { margin: .35rem 0; } summary { cursor: pointer; } summary:hover { color: var(--link); }
summary b { font: 700 .86rem ui-monospace, monospace; } .bad b { color: var(--bad); } .good b { color: var(--get); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 820px) {
  .layout { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; }
  main { padding: 1.2rem 1rem 4rem; }
  tr { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: .8rem; border-top: 1px solid var(--line); padding: .35rem 0; }
  tr:first-child { border-top: 0; }
  td, td:first-child, td:nth-child(2) { border: 0; padding: 0; width: auto; min-width: 0; } td:nth-child(2) { text-align: right; }
  td:nth-child(3) { grid-column: 1 / -1; }
}
@media print { nav { display: none; } .layout { display: block; } }
`;
