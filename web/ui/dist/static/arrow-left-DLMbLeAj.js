<<<<<<<< HEAD:web/ui/dist/static/arrow-left-B1P-zJna.js
import{t as e}from"./createLucideIcon-B5slJMcR.js";var t={name:`arrow-left`,size:24,node:[[`path`,{d:`m12 19-7-7 7-7`,key:`1l729n`}],[`path`,{d:`M19 12H5`,key:`x3x0zl`}]]};t.node;var n=e(t);export{n as t};
========
import{t as e}from"./createLucideIcon-DiISBqwU.js";var t={name:`arrow-left`,size:24,node:[[`path`,{d:`m12 19-7-7 7-7`,key:`1l729n`}],[`path`,{d:`M19 12H5`,key:`x3x0zl`}]]};t.node;var n=e(t);export{n as t};
>>>>>>>> 482034e (The built web application):web/ui/dist/static/arrow-left-DLMbLeAj.js
