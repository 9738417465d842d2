// media.c: what a media file is, single frames of it, and how loud it is, over FFmpeg's
// libraries. It is built as a reactor for WASI; build.sh says how. One instance is for one
// file, whose bytes come through dal.read.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("dal"), import_name(name)))

// Reads up to n bytes at an offset; returns how many, 0 at the end, -1 if there is no more to be had.
IMPORT("read") int host_read(long long offset, unsigned char *to, int n);

// Reports whether the time for pictures is over.
IMPORT("late") int host_late(void);

enum {
    buffer_size = 64 << 10,
    max_streams = 100,
    max_text = 4000,      // bytes of a tag
    max_tags = 200,
    max_packets = 20000,  // that are read for a frame
    max_decoded = 600,    // of them, that are decoded
};

static long long file_size, position;
static AVFormatContext *format;
static AVCodecContext *decoder;
static int decoder_of = -1;
static int video = -1, audio = -1, cover = -1;
static unsigned char *pixels;
static int width, height, deep;
static double shown_at;
static AVPacket *key;
static float *peaks;
static char problem[256];

static int fail(const char *what, int code) {
    char why[128];
    av_strerror(code, why, sizeof why);
    snprintf(problem, sizeof problem, "%s: %s", what, why);
    return code < 0 ? code : -1;
}

static int io_read(void *opaque, uint8_t *to, int n) {
    int got = host_read(position, to, n);
    if (got == 0) return AVERROR_EOF;
    if (got < 0) return AVERROR(EIO);
    position += got;
    return got;
}

static int64_t io_seek(void *opaque, int64_t offset, int whence) {
    if (whence & AVSEEK_SIZE) return file_size;
    whence &= ~AVSEEK_FORCE;
    if (whence == SEEK_CUR) offset += position;
    if (whence == SEEK_END) offset += file_size;
    if (offset < 0) return AVERROR(EINVAL);
    return position = offset;
}

static int interrupted(void *opaque) { return host_late(); }

EXPORT("problem") char *get_problem(void) { return problem; }
EXPORT("pixels") unsigned char *get_pixels(void) { return pixels; }
EXPORT("width") int get_width(void) { return width; }
EXPORT("height") int get_height(void) { return height; }
EXPORT("deep") int get_deep(void) { return deep; }
EXPORT("shown_at") double get_shown_at(void) { return shown_at; }
EXPORT("peaks") float *get_peaks(void) { return peaks; }

static int best(enum AVMediaType kind) {
    int found = -1;
    for (unsigned i = 0; i < format->nb_streams; i++) {
        AVStream *s = format->streams[i];
        if (s->codecpar->codec_type != kind || s->disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS)) continue;
        int is_default = s->disposition & AV_DISPOSITION_DEFAULT;
        if (found < 0 || is_default && !(format->streams[found]->disposition & AV_DISPOSITION_DEFAULT)) found = i;
    }
    return found;
}

// Opens a file of a format, as FFmpeg calls it. The pixels are the most that a frame may have.
EXPORT("open") int open_media(const char *demuxer, long long size, long long most) {
    av_log_set_level(AV_LOG_QUIET);
    file_size = size;
    format = avformat_alloc_context();
    unsigned char *buffer = av_malloc(buffer_size);
    if (!format || !buffer) return fail("open", AVERROR(ENOMEM));
    format->pb = avio_alloc_context(buffer, buffer_size, 0, NULL, io_read, NULL, io_seek);
    if (!format->pb) return fail("open", AVERROR(ENOMEM));
    format->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_FAST_SEEK;
    format->max_streams = max_streams;
    format->interrupt_callback.callback = interrupted;
    const AVInputFormat *as = av_find_input_format(demuxer);
    if (!as) return fail(demuxer, AVERROR_DEMUXER_NOT_FOUND);
    int code = avformat_open_input(&format, NULL, as, NULL);
    if (code < 0) return fail("open", code);
    AVDictionary *options[max_streams] = {0};
    for (unsigned i = 0; i < format->nb_streams && i < max_streams; i++) {
        av_dict_set_int(&options[i], "max_pixels", FFMIN(most, INT_MAX), 0);
    }
    code = avformat_find_stream_info(format, options);
    for (int i = 0; i < max_streams; i++) av_dict_free(&options[i]);
    if (format->nb_streams == 0) return fail("streams", code < 0 ? code : AVERROR_STREAM_NOT_FOUND);
    video = best(AVMEDIA_TYPE_VIDEO);
    audio = best(AVMEDIA_TYPE_AUDIO);
    for (unsigned i = 0; i < format->nb_streams; i++) {
        AVStream *s = format->streams[i];
        if (cover < 0 && s->disposition & AV_DISPOSITION_ATTACHED_PIC && s->attached_pic.size > 0) cover = i;
    }
    return 0;
}

// Facts are texts that end with a zero: a name, a value, a name, ...; an empty name is the end.
static FILE *out;

static void say(const char *name, const char *value) {
    if (!value || !*value) return;
    fprintf(out, "%s%c%.*s%c", name, 0, max_text, value, 0);
}

#define SAY(name, form, ...) do { char v[64]; snprintf(v, sizeof v, form, __VA_ARGS__); say(name, v); } while (0)

static void say_tags(const AVDictionary *tags) {
    const AVDictionaryEntry *e = NULL;
    char name[128];
    for (int n = 0; n < max_tags && (e = av_dict_iterate(tags, e)); n++) {
        snprintf(name, sizeof name, "tag:%s", e->key);
        say(name, e->value);
    }
}

static double rotation(const AVCodecParameters *p) {
    const AVPacketSideData *d = av_packet_side_data_get(p->coded_side_data, p->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    double r = d && d->size >= 36 ? av_display_rotation_get((const int32_t *)d->data) : 0;
    return isnan(r) ? 0 : -r; // clockwise
}

static double seconds(int64_t n, AVRational base) { return n == AV_NOPTS_VALUE ? 0 : n * av_q2d(base); }

static void say_video(AVStream *s) {
    AVCodecParameters *p = s->codecpar;
    AVRational r = s->avg_frame_rate.num > 0 ? s->avg_frame_rate : s->r_frame_rate;
    AVRational a = av_guess_sample_aspect_ratio(format, s, NULL);
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(p->format);
    say("video.codec", avcodec_get_name(p->codec_id));
    say("video.profile", avcodec_profile_name(p->codec_id, p->profile));
    say("video.pixel_format", av_get_pix_fmt_name(p->format));
    if (d) SAY("video.depth", "%d", d->comp[0].depth);
    SAY("video.width", "%d", p->width);
    SAY("video.height", "%d", p->height);
    if (r.num > 0 && r.den > 0) SAY("video.frame_rate", "%.6f", av_q2d(r));
    if (a.num > 0 && a.den > 0) SAY("video.aspect", "%.6f", av_q2d(a));
    SAY("video.rotation", "%.1f", rotation(p));
    SAY("video.bit_rate", "%lld", (long long)p->bit_rate);
    SAY("video.duration", "%.6f", seconds(s->duration, s->time_base));
    say("video.transfer", av_color_transfer_name(p->color_trc));
    say("video.primaries", av_color_primaries_name(p->color_primaries));
    say("video.decodes", avcodec_find_decoder(p->codec_id) ? "yes" : "no");
}

static void say_audio(AVStream *s) {
    AVCodecParameters *p = s->codecpar;
    int bits = p->bits_per_raw_sample ? p->bits_per_raw_sample : av_get_exact_bits_per_sample(p->codec_id);
    say("audio.codec", avcodec_get_name(p->codec_id));
    say("audio.profile", avcodec_profile_name(p->codec_id, p->profile));
    SAY("audio.sample_rate", "%d", p->sample_rate);
    SAY("audio.channels", "%d", p->ch_layout.nb_channels);
    SAY("audio.bits", "%d", bits);
    SAY("audio.bit_rate", "%lld", (long long)p->bit_rate);
    SAY("audio.duration", "%.6f", seconds(s->duration, s->time_base));
    say("audio.decodes", avcodec_find_decoder(p->codec_id) ? "yes" : "no");
}

EXPORT("facts") char *facts(void) {
    static char *text;
    size_t n;
    out = open_memstream(&text, &n);
    if (!out) return NULL;
    say("container", format->iformat->name);
    SAY("duration", "%.6f", seconds(format->duration, AV_TIME_BASE_Q));
    SAY("bit_rate", "%lld", (long long)format->bit_rate);
    if (video >= 0) say_video(format->streams[video]);
    if (audio >= 0) say_audio(format->streams[audio]);
    if (cover >= 0) SAY("cover", "%d", format->streams[cover]->attached_pic.size);
    say_tags(format->metadata);
    if (video >= 0) say_tags(format->streams[video]->metadata);
    if (audio >= 0) say_tags(format->streams[audio]->metadata);
    fputc(0, out);
    return fclose(out) ? NULL : text;
}

EXPORT("cover") unsigned char *get_cover(void) { return cover < 0 ? NULL : format->streams[cover]->attached_pic.data; }

// Makes a decoder for a stream, and has only that read.
static int open_decoder(int stream, long long most) {
    for (unsigned i = 0; i < format->nb_streams; i++) format->streams[i]->discard = i == stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    if (decoder && decoder_of == stream) {
        avcodec_flush_buffers(decoder);
        return 0;
    }
    avcodec_free_context(&decoder);
    AVCodecParameters *p = format->streams[stream]->codecpar;
    const AVCodec *c = avcodec_find_decoder(p->codec_id);
    if (!c) return fail(avcodec_get_name(p->codec_id), AVERROR_DECODER_NOT_FOUND);
    if (!(decoder = avcodec_alloc_context3(c))) return fail("decoder", AVERROR(ENOMEM));
    int code = avcodec_parameters_to_context(decoder, p);
    decoder->max_pixels = most;
    decoder->pkt_timebase = format->streams[stream]->time_base;
    if (code >= 0) code = avcodec_open2(decoder, c, NULL);
    decoder_of = stream;
    return code < 0 ? fail("decoder", code) : 0;
}

// Scales a frame so that it fits in a side, with square pixels. It is RGBA; of PQ, RGBA of 16 bits.
static int convert(AVFrame *f, int side) {
    int64_t w = f->width, h = f->height;
    AVRational a = av_guess_sample_aspect_ratio(format, format->streams[video], f);
    if (a.num > 0 && a.den > 0 && av_q2d(a) < 16 && av_q2d(a) > 1 / 16.) w = FFMAX(1, av_rescale(w, a.num, a.den));
    if (w > side || h > side) {
        if (w > h) { h = FFMAX(1, av_rescale(h, side, w)); w = side; }
        else { w = FFMAX(1, av_rescale(w, side, h)); h = side; }
    }
    width = w;
    height = h;
    deep = f->color_trc == AVCOL_TRC_SMPTE2084;
    int size = deep ? 8 : 4;
    av_freep(&pixels);
    pixels = av_mallocz((size_t)width * height * size + 64);
    struct SwsContext *s = sws_getContext(f->width, f->height, f->format, width, height, deep ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGBA,
                                          SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
    if (!s || !pixels) {
        sws_freeContext(s);
        return fail("convert", AVERROR(ENOMEM));
    }
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(f->format);
    int full = f->color_range == AVCOL_RANGE_JPEG || d && !strncmp(d->name, "yuvj", 4);
    int usual = f->height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601;
    const int *m = sws_getCoefficients(f->colorspace == AVCOL_SPC_UNSPECIFIED ? usual : f->colorspace);
    sws_setColorspaceDetails(s, m, full, m, 1, 0, 1 << 16, 1 << 16);
    uint8_t *to[4] = {pixels};
    int stride[4] = {width * size};
    int code = sws_scale(s, (const uint8_t *const *)f->data, f->linesize, 0, f->height, to, stride);
    sws_freeContext(s);
    if (code < 0) return fail("convert", code);
    int64_t t = f->best_effort_timestamp;
    AVStream *v = format->streams[video];
    shown_at = t == AV_NOPTS_VALUE ? 0 : seconds(t - (v->start_time == AV_NOPTS_VALUE ? 0 : v->start_time), v->time_base);
    return 0;
}

// Goes to the key frame at or before a time, or else to the beginning.
static void go_to(int stream, double at) {
    AVStream *s = format->streams[stream];
    int64_t start = s->start_time == AV_NOPTS_VALUE ? 0 : s->start_time;
    int64_t to = start + (int64_t)(at / av_q2d(s->time_base));
    if (at > 0 && av_seek_frame(format, stream, to, AVSEEK_FLAG_BACKWARD) >= 0) return;
    if (av_seek_frame(format, stream, start, AVSEEK_FLAG_BACKWARD) >= 0) return;
    if (avformat_seek_file(format, -1, INT64_MIN, 0, INT64_MAX, AVSEEK_FLAG_BYTE) < 0) avio_seek(format->pb, 0, SEEK_SET);
}

// Decodes one frame: the next key frame by itself, or what comes out behind some others.
static int decode(int side, int only_key, int skip) {
    AVPacket *p = av_packet_alloc();
    AVFrame *f = av_frame_alloc();
    int code = p && f ? AVERROR(EAGAIN) : AVERROR(ENOMEM), read = 0, sent = 0, drained = 0;
    while (p && f) {
        code = avcodec_receive_frame(decoder, f);
        if (code >= 0 && skip-- > 0) continue;
        if (code >= 0) { code = convert(f, side); break; }
        if (code != AVERROR(EAGAIN) || drained) break;
        if (read++ >= max_packets || sent >= max_decoded || host_late() || av_read_frame(format, p) < 0 || only_key && sent) {
            avcodec_send_packet(decoder, NULL);
            drained = 1;
            continue;
        }
        if (p->stream_index == video && (sent || !only_key || p->flags & AV_PKT_FLAG_KEY)) {
            avcodec_send_packet(decoder, p); // what cannot be decoded is passed over
            sent++;
        }
        av_packet_unref(p);
    }
    av_packet_free(&p);
    av_frame_free(&f);
    return code < 0 ? fail("decode", code) : 0;
}

// Decodes the key frame at or before a time. It fits in side pixels.
EXPORT("frame") int frame(double at, int side, long long most) {
    if (video < 0) return fail("video", AVERROR_STREAM_NOT_FOUND);
    int code = open_decoder(video, most);
    if (code < 0) return code;
    go_to(video, at);
    if (decode(side, 1, 0) >= 0) return 0;
    avcodec_flush_buffers(decoder);
    go_to(video, at);
    return decode(side, 0, 0);
}

// Decodes a frame of a video that is read from its beginning on, behind some others. The first call goes there.
EXPORT("later") int later(int first, int skip, int side, long long most) {
    if (video < 0) return fail("video", AVERROR_STREAM_NOT_FOUND);
    if (first) {
        int code = open_decoder(video, most);
        if (code < 0) return code;
        go_to(video, 0);
    }
    return decoder && decoder_of == video ? decode(side, 0, skip) : fail("later", AVERROR(EINVAL));
}

// Finds the coded key frame at or before a time, for a codec that is decoded elsewhere.
EXPORT("key_frame") int key_frame(double at) {
    if (video < 0) return fail("video", AVERROR_STREAM_NOT_FOUND);
    for (unsigned i = 0; i < format->nb_streams; i++) format->streams[i]->discard = i == video ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    go_to(video, at);
    av_packet_free(&key);
    if (!(key = av_packet_alloc())) return fail("key frame", AVERROR(ENOMEM));
    for (int n = 0; n < max_packets && !host_late() && av_read_frame(format, key) >= 0; n++) {
        if (key->stream_index == video && key->flags & AV_PKT_FLAG_KEY) {
            AVStream *v = format->streams[video];
            int64_t start = v->start_time == AV_NOPTS_VALUE ? 0 : v->start_time;
            shown_at = key->pts == AV_NOPTS_VALUE ? 0 : seconds(key->pts - start, v->time_base);
            return 0;
        }
        av_packet_unref(key);
    }
    return fail("key frame", AVERROR_EOF);
}
EXPORT("key_data") unsigned char *key_data(void) { return key ? key->data : NULL; }
EXPORT("key_size") int key_size(void) { return key ? key->size : 0; }
EXPORT("config") unsigned char *config(void) { return format->streams[video]->codecpar->extradata; }
EXPORT("config_size") int config_size(void) { return format->streams[video]->codecpar->extradata_size; }

#define PEAK(type, zero, most) do { \
        const type *v = (const type *)from; \
        for (int i = first * step; i < end * step; i += step) peak = fmaxf(peak, fabsf(((float)v[i] - zero) / most)); \
    } while (0)

// The peak of samples of a channel, from 0 to 1.
static float peak_of(const AVFrame *f, int channel, int first, int end) {
    int planar = av_sample_fmt_is_planar(f->format), step = planar ? 1 : f->ch_layout.nb_channels;
    const uint8_t *from = planar ? f->extended_data[channel] : f->extended_data[0] + channel * av_get_bytes_per_sample(f->format);
    float peak = 0;
    switch (f->format) {
    case AV_SAMPLE_FMT_U8: case AV_SAMPLE_FMT_U8P: PEAK(uint8_t, 128, 128); break;
    case AV_SAMPLE_FMT_S16: case AV_SAMPLE_FMT_S16P: PEAK(int16_t, 0, 32768); break;
    case AV_SAMPLE_FMT_S32: case AV_SAMPLE_FMT_S32P: PEAK(int32_t, 0, 2147483648.f); break;
    case AV_SAMPLE_FMT_FLT: case AV_SAMPLE_FMT_FLTP: PEAK(float, 0, 1); break;
    case AV_SAMPLE_FMT_DBL: case AV_SAMPLE_FMT_DBLP: PEAK(double, 0, 1); break;
    }
    return peak;
}

static float frame_peak(const AVFrame *f) {
    float peak = 0;
    for (int c = 0; c < f->ch_layout.nb_channels; c++) peak = fmaxf(peak, peak_of(f, c, 0, f->nb_samples));
    return peak;
}

// Decodes sound from a time on, which is negative for where it is, and keeps the peak of each bucket, which has some
// seconds. Returns how many it could fill. Behind a leap up to a second of silence is passed over: a decoder may need
// what was before, and be silent without it.
EXPORT("sound") int sound(double at, double bucket, int buckets) {
    if (audio < 0) return fail("audio", AVERROR_STREAM_NOT_FOUND);
    int code = open_decoder(audio, INT_MAX);
    if (code < 0) return code;
    if (at >= 0) go_to(audio, at);
    av_freep(&peaks);
    peaks = av_calloc(buckets, sizeof *peaks);
    AVPacket *p = av_packet_alloc();
    AVFrame *f = av_frame_alloc();
    double done = 0, silent = at >= 0 ? 1 : 0; // seconds
    int last = -1;
    for (int drained = 0; peaks && p && f && done < bucket * buckets;) {
        code = avcodec_receive_frame(decoder, f);
        if (code >= 0) {
            int rate = f->sample_rate > 0 ? f->sample_rate : 48000;
            if (silent > 0) {
                silent -= f->nb_samples / (double)rate;
                if (frame_peak(f) == 0) {
                    last = FFMAX(last, 0);
                    av_frame_unref(f);
                    continue;
                }
                silent = 0;
            }
            for (int i = 0; i < f->nb_samples && last < buckets;) {
                int bucket_of = done / bucket + 1e-9;
                int end = FFMIN(f->nb_samples, i + FFMAX(1, (int)ceil((bucket * (bucket_of + 1) - done) * rate)));
                if ((last = bucket_of) >= buckets) break;
                for (int c = 0; c < f->ch_layout.nb_channels; c++) peaks[last] = fmaxf(peaks[last], peak_of(f, c, i, end));
                done += (end - i) / (double)rate;
                i = end;
            }
            av_frame_unref(f);
            continue;
        }
        if (code != AVERROR(EAGAIN) || drained) break;
        if (host_late() || av_read_frame(format, p) < 0) {
            avcodec_send_packet(decoder, NULL);
            drained = 1;
            continue;
        }
        if (p->stream_index == audio) avcodec_send_packet(decoder, p); // what cannot be decoded is passed over
        av_packet_unref(p);
    }
    av_packet_free(&p);
    av_frame_free(&f);
    return FFMIN(last + 1, buckets);
}
