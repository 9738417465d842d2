#include "textflag.h"

// func multiplyVector(depth int, a *float32, aStride int, b, c *float32, cStride int)
//
// Y0…Y7 hold the sums of 4 rows of 16 columns; each round takes one row of the
// panel and one number of each row of a.
TEXT ·multiplyVector(SB), NOSPLIT, $0-48
	MOVQ depth+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ aStride+16(FP), R8
	MOVQ b+24(FP), DI
	MOVQ c+32(FP), DX
	MOVQ cStride+40(FP), R10
	SHLQ $2, R8
	SHLQ $2, R10
	LEAQ (R8)(R8*2), R9
	LEAQ (R10)(R10*2), R11
	VMOVUPS (DX), Y0
	VMOVUPS 32(DX), Y1
	VMOVUPS (DX)(R10*1), Y2
	VMOVUPS 32(DX)(R10*1), Y3
	VMOVUPS (DX)(R10*2), Y4
	VMOVUPS 32(DX)(R10*2), Y5
	VMOVUPS (DX)(R11*1), Y6
	VMOVUPS 32(DX)(R11*1), Y7

next:
	VMOVUPS (DI), Y8
	VMOVUPS 32(DI), Y9
	VBROADCASTSS (SI), Y10
	VBROADCASTSS (SI)(R8*1), Y11
	VBROADCASTSS (SI)(R8*2), Y12
	VBROADCASTSS (SI)(R9*1), Y13
	VFMADD231PS Y8, Y10, Y0
	VFMADD231PS Y9, Y10, Y1
	VFMADD231PS Y8, Y11, Y2
	VFMADD231PS Y9, Y11, Y3
	VFMADD231PS Y8, Y12, Y4
	VFMADD231PS Y9, Y12, Y5
	VFMADD231PS Y8, Y13, Y6
	VFMADD231PS Y9, Y13, Y7
	ADDQ $64, DI
	ADDQ $4, SI
	DECQ CX
	JNZ  next

	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	VMOVUPS Y2, (DX)(R10*1)
	VMOVUPS Y3, 32(DX)(R10*1)
	VMOVUPS Y4, (DX)(R10*2)
	VMOVUPS Y5, 32(DX)(R10*2)
	VMOVUPS Y6, (DX)(R11*1)
	VMOVUPS Y7, 32(DX)(R11*1)
	VZEROUPPER
	RET

// func multiplyHalves(depth int, a *float32, aStride int, b *byte, c *float32, cStride int)
//
// Z0…Z7 hold the sums of 8 rows of 16 columns; each round takes one row of the panel
// and one number of each row of a, in the order in which multiplyVector does.
TEXT ·multiplyHalves(SB), NOSPLIT, $0-48
	MOVQ depth+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ aStride+16(FP), R8
	MOVQ b+24(FP), DI
	MOVQ c+32(FP), DX
	MOVQ cStride+40(FP), R12
	SHLQ $2, R8
	SHLQ $2, R12
	LEAQ (R8)(R8*2), R9
	LEAQ (R8)(R8*4), R10
	LEAQ (R9)(R8*4), R11
	MOVQ DX, AX
	VMOVUPS (AX), Z0
	ADDQ R12, AX
	VMOVUPS (AX), Z1
	ADDQ R12, AX
	VMOVUPS (AX), Z2
	ADDQ R12, AX
	VMOVUPS (AX), Z3
	ADDQ R12, AX
	VMOVUPS (AX), Z4
	ADDQ R12, AX
	VMOVUPS (AX), Z5
	ADDQ R12, AX
	VMOVUPS (AX), Z6
	ADDQ R12, AX
	VMOVUPS (AX), Z7

next:
	VCVTPH2PS (DI), Z8
	VFMADD231PS.BCST (SI), Z8, Z0
	VFMADD231PS.BCST (SI)(R8*1), Z8, Z1
	VFMADD231PS.BCST (SI)(R8*2), Z8, Z2
	VFMADD231PS.BCST (SI)(R9*1), Z8, Z3
	VFMADD231PS.BCST (SI)(R8*4), Z8, Z4
	VFMADD231PS.BCST (SI)(R10*1), Z8, Z5
	VFMADD231PS.BCST (SI)(R9*2), Z8, Z6
	VFMADD231PS.BCST (SI)(R11*1), Z8, Z7
	ADDQ $32, DI
	ADDQ $4, SI
	DECQ CX
	JNZ  next

	VMOVUPS Z0, (DX)
	ADDQ R12, DX
	VMOVUPS Z1, (DX)
	ADDQ R12, DX
	VMOVUPS Z2, (DX)
	ADDQ R12, DX
	VMOVUPS Z3, (DX)
	ADDQ R12, DX
	VMOVUPS Z4, (DX)
	ADDQ R12, DX
	VMOVUPS Z5, (DX)
	ADDQ R12, DX
	VMOVUPS Z6, (DX)
	ADDQ R12, DX
	VMOVUPS Z7, (DX)
	VZEROUPPER
	RET

// func expandVector(dst []float32, src string)
TEXT ·expandVector(SB), NOSPLIT, $0-40
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	SHRQ $3, CX

next:
	VCVTPH2PS (SI), Y0
	VMOVUPS   Y0, (DI)
	ADDQ $16, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET
