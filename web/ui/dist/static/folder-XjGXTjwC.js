<<<<<<<< HEAD:web/ui/dist/static/folder-CzdOfr5I.js
import{t as e}from"./createLucideIcon-B5slJMcR.js";var t={name:`folder`,size:24,node:[[`path`,{d:`M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z`,key:`1kt360`}]]};t.node;var n=e(t);export{n as t};
========
import{t as e}from"./createLucideIcon-DiISBqwU.js";var t={name:`folder`,size:24,node:[[`path`,{d:`M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z`,key:`1kt360`}]]};t.node;var n=e(t);export{n as t};
>>>>>>>> 482034e (The built web application):web/ui/dist/static/folder-XjGXTjwC.js
