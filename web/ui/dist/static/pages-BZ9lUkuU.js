<<<<<<<< HEAD:web/ui/dist/static/pages-CgIim2fI.js
import{i as e}from"./createLucideIcon-B5slJMcR.js";async function t(t){let n=[];for(let r=1;;r++){let i=await e(t({query:{page:r,per_page:100}}));if(n.push(...i.data),i.meta.current_page>=i.meta.last_page)return n}}export{t};
========
import{u as e}from"./createLucideIcon-DiISBqwU.js";async function t(t){let n=[];for(let r=1;;r++){let i=await e(t({query:{page:r,per_page:100}}));if(n.push(...i.data),i.meta.current_page>=i.meta.last_page)return n}}export{t};
>>>>>>>> 482034e (The built web application):web/ui/dist/static/pages-BZ9lUkuU.js
