<<<<<<<< HEAD:web/ui/dist/static/ellipsis-vertical-dilmafdE.js
import{t as e}from"./createLucideIcon-B5slJMcR.js";var t={name:`ellipsis-vertical`,size:24,node:[[`circle`,{cx:`12`,cy:`12`,r:`1`,key:`41hilf`}],[`circle`,{cx:`12`,cy:`5`,r:`1`,key:`gxeob9`}],[`circle`,{cx:`12`,cy:`19`,r:`1`,key:`lyex9k`}]],aliases:[`more-vertical`]};t.node;var n=e(t);export{n as t};
========
import{t as e}from"./createLucideIcon-DiISBqwU.js";var t={name:`ellipsis-vertical`,size:24,node:[[`circle`,{cx:`12`,cy:`12`,r:`1`,key:`41hilf`}],[`circle`,{cx:`12`,cy:`5`,r:`1`,key:`gxeob9`}],[`circle`,{cx:`12`,cy:`19`,r:`1`,key:`lyex9k`}]],aliases:[`more-vertical`]};t.node;var n=e(t);export{n as t};
>>>>>>>> 482034e (The built web application):web/ui/dist/static/ellipsis-vertical-Cgr6-uOa.js
