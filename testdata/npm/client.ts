// A typed client as a user would generate it; it has to compile.
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const client = createClient<paths>({ baseUrl: "http://localhost:8080", headers: { Authorization: "Bearer dal_1_x" } });

const { data: batch } = await client.POST("/api/v1/upload-batches", { body: { name: "from a client", expected_files: 1 } });
const { data: list, error } = await client.GET("/api/v1/assets", { params: { query: { q: "harbour", per_page: 10, sort_by: "title" } } });
if (error) throw new Error(error.message);
for (const asset of list.data) {
  const title: string = asset.title;
  const thumbnail: string | null = asset.urls.thumbnail;
  console.log(title, thumbnail, asset.matched_on?.join(","), batch?.data.counts.ready);
  await client.PUT("/api/v1/assets/{gaid}", { params: { path: { gaid: asset.gaid } }, body: { creator: null, keywords: ["a"] } });
}
