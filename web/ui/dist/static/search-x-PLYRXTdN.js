<<<<<<<< HEAD:web/ui/dist/static/search-x-DKhT127d.js
import{t as e}from"./createLucideIcon-B5slJMcR.js";var t={name:`search-x`,size:24,node:[[`path`,{d:`m13.5 8.5-5 5`,key:`1cs55j`}],[`path`,{d:`m8.5 8.5 5 5`,key:`a8mexj`}],[`circle`,{cx:`11`,cy:`11`,r:`8`,key:`4ej97u`}],[`path`,{d:`m21 21-4.3-4.3`,key:`1qie3q`}]]};t.node;var n=e(t);export{n as t};
========
import{t as e}from"./createLucideIcon-DiISBqwU.js";var t={name:`search-x`,size:24,node:[[`path`,{d:`m13.5 8.5-5 5`,key:`1cs55j`}],[`path`,{d:`m8.5 8.5 5 5`,key:`a8mexj`}],[`circle`,{cx:`11`,cy:`11`,r:`8`,key:`4ej97u`}],[`path`,{d:`m21 21-4.3-4.3`,key:`1qie3q`}]]};t.node;var n=e(t);export{n as t};
>>>>>>>> 482034e (The built web application):web/ui/dist/static/search-x-PLYRXTdN.js
